-- Received imports that nobody has given a sign of life for: those in the midst first, then those that wait for their turn, in the order of their coming.
select import_id from imports
where finished_at is null and import_state <> 'receiving' and updated_at < now() - make_interval(secs => :silent_seconds::integer)
order by import_state = 'waiting', import_id
limit 100
