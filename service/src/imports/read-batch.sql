select columns, refused from import_batches
where import_id = :import_id and batch = :batch
