select b.columns, b.refused, i.stop_requested from import_batches b
join imports i on i.import_id = b.import_id
where b.import_id = :import_id and b.batch = :batch
