-- The import is received completely and on disk. If its key was used before, imports_one_a_key refuses it.
with durable as materialized (
  select set_config('synchronous_commit', 'on', true) as set
), completed as (
  update imports set import_state = 'waiting', import_key = :import_key, digest = :digest, file_format = :file_format,
    updated_at = now()
  where import_id = :import_id and import_state = 'receiving' and (select set from durable) is not null
  returning import_id, import_kind, mode, dry_run, rows, actor, request_id
), audited as (
  insert into audit_entries (audit_action, subject, new_value, actor, request_id)
  select 'import_started', jsonb_build_object('import_id', import_id),
    jsonb_build_object('import_kind', import_kind, 'mode', mode, 'dry_run', dry_run, 'rows', rows,
      'sha256', encode(:digest, 'hex')),
    actor, request_id
  from completed
)
select import_id from completed
