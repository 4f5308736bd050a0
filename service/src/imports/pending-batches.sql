-- The batches left to handle in a state.
select b.batch from imports i
join import_batches b on b.import_id = i.import_id and b.done_in <> :import_state
where i.import_id = :import_id and i.import_state = :import_state
order by b.batch
