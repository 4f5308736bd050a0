-- Heartbeat of the process that runs an import or waits with it.
update imports set updated_at = now()
where import_id = :import_id and finished_at is null
returning import_id
