-- From one state to the next, when all batches of the present one are done or there is nothing to do in it.
-- One import of a kind is under way at a time: imports_one_at_a_time refuses a second one. Of an import of all or nothing, one bad row is enough.
with advanced as (
  update imports set
    import_state = case import_state
      when 'waiting' then 'checking'
      when 'checking' then case when mode = 'rows' or rows_refused = 0 then 'applying' else 'undoing' end
      when 'applying' then 'done'
      when 'undoing' then 'refused'
    end,
    finished_at = case when import_state in ('applying', 'undoing') then now() end,
    rows_changed = case when import_state = 'undoing' then 0 else rows_changed end,
    next_batch = 0, rows_done = 0, updated_at = now()
  where import_id = :import_id and import_state = :import_state and finished_at is null
    and (next_batch = batches or not :batchwise)
  returning import_id, import_kind, import_state, finished_at, rows, rows_added, rows_changed, rows_refused, actor, request_id
), emptied as (
  delete from import_batches b using advanced a
  where b.import_id = a.import_id and a.finished_at is not null
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select import_kind, jsonb_build_object('import_id', import_id, 'rows', rows, 'rows_added', rows_added, 'rows_changed', rows_changed, 'rows_refused', rows_refused),
    actor, request_id
  from advanced
  where import_state = 'done'
)
select import_state from advanced
