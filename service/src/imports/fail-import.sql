-- Ends an import that a fault of ours keeps from its end, so that others of its kind can go on.
with failed as (
  update imports set import_state = 'failed', finished_at = now(), updated_at = now()
  where import_id = :import_id and finished_at is null and import_state <> 'receiving'
  returning import_id
), emptied as (
  delete from import_batches b using failed f where b.import_id = f.import_id
)
select import_id from failed
