-- Deletes imports whose sender disconnected while sending.
delete from imports
where finished_at is null and import_state = 'receiving'
  and updated_at < now() - make_interval(secs => :silent_seconds::integer)
returning import_id
