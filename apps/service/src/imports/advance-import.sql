-- Moves an import to its next state when all batches are handled in the current one, or need nothing in it. Its end
-- is on disk. One import of a kind is in progress at a time, in order of arrival: imports_one_at_a_time refuses a
-- second one. One bad row refuses an import in mode all. A dry run ends after the check. A stopped import ends when
-- what its check has changed is undone. An import that was not done releases its key for a later one.
with durable as materialized (
  select set_config('synchronous_commit', 'on', true) as set
), figures as materialized (
  select coalesce(sum(rows_added), 0) as added, coalesce(sum(rows_changed), 0) as changed,
    coalesce(bool_and(done_in = :import_state), true) as done
  from import_batches
  where import_id = :import_id
), next as materialized (
  select i.import_id, i.stop_requested, case
      when i.import_state = 'undoing' then
        case when i.failing then 'failed' when i.stop_requested then 'stopped' else 'refused' end
      when i.stop_requested then case when i.import_state = 'waiting' or i.dry_run then 'stopped' else 'undoing' end
      when i.import_state = 'waiting' then 'checking'
      when i.import_state = 'applying' then 'done'
      when i.mode = 'all' and i.rows_refused > 0 then case when i.dry_run then 'refused' else 'undoing' end
      when i.dry_run then 'done'
      else 'applying'
    end as state
  from imports i
  where i.import_id = :import_id and i.import_state = :import_state and i.finished_at is null
), advanced as (
  update imports i set
    import_state = n.state,
    finished_at = case when n.state in ('done', 'refused', 'failed', 'stopped') then now() end,
    rows_added = case when n.state in ('done', 'stopped') and not (i.dry_run and i.stop_requested) then f.added
      else 0 end,
    rows_changed = case when n.state in ('done', 'stopped') and not (i.dry_run and i.stop_requested) then f.changed
      else 0 end,
    import_key = case when n.state not in ('refused', 'failed', 'stopped') then i.import_key end, updated_at = now()
  from figures f, next n
  where i.import_id = :import_id and i.import_state = :import_state and i.finished_at is null
    and i.stop_requested = n.stop_requested
    and (f.done or not :batchwise or i.stop_requested and i.import_state <> 'undoing')
    and (select set from durable) is not null
    and not (n.state = 'checking' and exists (
      select 1 from imports o where o.import_kind = i.import_kind and o.import_state = 'waiting'
        and o.import_id < i.import_id))
  returning i.import_id, i.import_kind, i.import_state, i.finished_at, i.rows, i.rows_added, i.rows_changed,
    i.rows_refused, i.actor, i.request_id, i.dry_run
), emptied as (
  delete from import_batches b using advanced a
  where b.import_id = a.import_id and a.finished_at is not null
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select import_kind, jsonb_build_object('import_id', import_id, 'rows', rows, 'rows_added', rows_added, 'rows_changed',
    rows_changed, 'rows_refused', rows_refused)
      || case when import_state = 'stopped' then jsonb_build_object('stopped', true) else '{}' end,
    actor, request_id
  from advanced
  where (import_state = 'done' or import_state = 'stopped' and rows_added + rows_changed > 0) and not dry_run
)
select import_state from advanced
