-- The process that runs the import stops after the batches in progress.
update imports set stop_requested = true
where import_id = :import_id and finished_at is null
returning import_id
