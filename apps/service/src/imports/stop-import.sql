-- The process that runs the import stops after the batches in progress. Asking again changes nothing.
with seen as (
  select import_id, stop_requested from imports
  where import_id = :import_id and finished_at is null
  for no key update
), stopped as (
  update imports i set stop_requested = true
  from seen s
  where i.import_id = s.import_id and not s.stop_requested
  returning i.import_id
), audited as (
  insert into audit_entries (audit_action, subject, actor, request_id)
  select 'import_stopped', jsonb_build_object('import_id', import_id), :actor, :request_id from stopped
)
select import_id from seen
