-- The import is received completely and on disk. If its key was used before, imports_one_a_key refuses it.
with durable as materialized (
  select set_config('synchronous_commit', 'on', true) as set
)
update imports set import_state = 'waiting', import_key = :import_key, digest = :digest, file_format = :file_format,
  updated_at = now()
where import_id = :import_id and import_state = 'receiving' and (select set from durable) is not null
returning import_id
