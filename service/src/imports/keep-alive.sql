-- A sign of life of whoever is at an import or waits with it.
update imports set updated_at = now()
where import_id = :import_id and finished_at is null
returning import_id
