-- What is left to do in a state, and a sign of life of whoever is about to do it.
with alive as (
  update imports set updated_at = now()
  where import_id = :import_id and import_state = :import_state
  returning import_id
)
select b.batch from alive a
join import_batches b on b.import_id = a.import_id and b.done_in <> :import_state
order by b.batch
