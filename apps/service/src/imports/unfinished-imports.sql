-- Received imports without a recent heartbeat: those in progress first, then waiting ones, in order of arrival.
select import_id from imports
where finished_at is null and import_state <> 'receiving'
  and updated_at < now() - make_interval(secs => :silent_seconds::integer)
order by import_state = 'waiting', import_id
limit 100
