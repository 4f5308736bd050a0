-- A fault of ours keeps an import from its end. As long as nothing but the check has been done, what that has changed is undone;
-- otherwise it ends here, so that others of its kind can go on. If undoing fails, the batches stay: they tell what is still to be given back.
with figures as materialized (
  select coalesce(sum(rows_added), 0) as added, coalesce(sum(rows_changed), 0) as changed from import_batches
  where import_id = :import_id
), failed as (
  update imports set failing = true, updated_at = now(), rows_added = f.added, rows_changed = f.changed,
    import_state = case when import_state in ('waiting', 'checking') then 'undoing' else 'failed' end,
    finished_at = case when import_state in ('waiting', 'checking') then null else now() end
  from figures f
  where import_id = :import_id and import_state = :import_state and finished_at is null
  returning import_id, import_state
), emptied as (
  delete from import_batches b using failed f
  where b.import_id = f.import_id and f.import_state = 'failed' and :import_state <> 'undoing'
)
select import_state from failed
