-- A bug stops an import. While only the check has run, its changes are undone; otherwise the import ends here, so
-- that others of its kind can continue. If undoing fails, the batches stay: they record what must still be restored.
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
