-- Moves an import to its next state when all batches are handled in the current one, or need nothing in it. Its end
-- is on disk. One import of a kind is in progress at a time, in order of arrival: imports_one_at_a_time refuses a
-- second one. One bad row refuses an import in mode all. An import that was not done releases its key for a later
-- one.
with durable as materialized (
  select set_config('synchronous_commit', 'on', true) as set
), figures as materialized (
  select coalesce(sum(rows_added), 0) as added, coalesce(sum(rows_changed), 0) as changed,
    coalesce(bool_and(done_in = :import_state), true) as done
  from import_batches
  where import_id = :import_id
), advanced as (
  update imports set
    import_state = case import_state
      when 'waiting' then 'checking'
      when 'checking' then case when mode = 'rows' or rows_refused = 0 then 'applying' else 'undoing' end
      when 'applying' then 'done'
      when 'undoing' then case when failing then 'failed' else 'refused' end
    end,
    finished_at = case when import_state in ('applying', 'undoing') then now() end,
    rows_added = case import_state when 'applying' then f.added else 0 end,
    rows_changed = case import_state when 'applying' then f.changed else 0 end,
    import_key = case when import_state <> 'undoing' then import_key end, updated_at = now()
  from figures f
  where import_id = :import_id and import_state = :import_state and finished_at is null
    and (f.done or not :batchwise) and (select set from durable) is not null
    and not (import_state = 'waiting' and exists (
      select 1 from imports o where o.import_kind = imports.import_kind and o.import_state = 'waiting'
        and o.import_id < imports.import_id))
  returning import_id, import_kind, import_state, finished_at, rows, rows_added, rows_changed, rows_refused, actor,
    request_id
), emptied as (
  delete from import_batches b using advanced a
  where b.import_id = a.import_id and a.finished_at is not null
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select import_kind, jsonb_build_object('import_id', import_id, 'rows', rows, 'rows_added', rows_added, 'rows_changed',
    rows_changed, 'rows_refused', rows_refused),
    actor, request_id
  from advanced
  where import_state = 'done'
)
select import_state from advanced
