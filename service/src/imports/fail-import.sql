-- A fault of ours keeps an import from its end. As long as nothing but the check has been done, what that has changed is undone;
-- otherwise it ends here, so that others of its kind can go on.
with failed as (
  update imports set failing = true, updated_at = now(),
    import_state = case when import_state in ('waiting', 'checking') then 'undoing' else 'failed' end,
    finished_at = case when import_state in ('waiting', 'checking') then null else now() end
  where import_id = :import_id and finished_at is null and import_state <> 'receiving'
  returning import_id, import_state, finished_at
), emptied as (
  delete from import_batches b using failed f
  where b.import_id = f.import_id and f.finished_at is not null
)
select import_state from failed
