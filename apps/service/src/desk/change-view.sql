with seen as (
  select view_id as seen_id, view_name as old_name, filters as old_filters, shared as old_shared from operator_views
  where view_id = :view_id and (owner = :owner or (shared and :administers))
  for no key update
), changed as (
  update operator_views set view_name = coalesce(:view_name, view_name), filters = coalesce(:filters, filters),
    shared = coalesce(:shared, shared), changed_at = now()
  from seen
  where view_id = seen_id
  returning *
), audited as (
  insert into audit_entries (audit_action, subject, old_value, new_value, actor, request_id)
  select 'view_changed', jsonb_build_object('view_id', view_id, 'owner', owner),
    jsonb_build_object('view_name', old_name, 'filters', old_filters, 'shared', old_shared),
    jsonb_build_object('view_name', view_name, 'filters', filters, 'shared', shared), :actor, :request_id
  from changed
  where (old_name, old_filters, old_shared) is distinct from (view_name, filters, shared)
)
select -- include view-columns.part.sql
from changed v
-- include view-owner.part.sql
