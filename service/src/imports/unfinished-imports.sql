-- Received imports that nobody has moved on for a while: the process that was at it is gone.
select import_id from imports
where finished_at is null and import_state <> 'receiving' and updated_at < now() - make_interval(secs => :silent_seconds::integer)
order by updated_at
limit 10
