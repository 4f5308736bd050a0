-- Received imports that nobody has moved on for a while: the process that was at them is gone, or they wait for their turn.
select import_id, import_state = 'waiting' as waiting from imports
where finished_at is null and import_state <> 'receiving' and updated_at < now() - make_interval(secs => :silent_seconds::integer)
order by updated_at
limit 10
