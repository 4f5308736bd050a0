with removed as (
  delete from operator_views
  where view_id = :view_id and (owner = :owner or (shared and :administers))
  returning view_id, owner, view_name, filters, shared
), audited as (
  insert into audit_entries (audit_action, subject, old_value, actor, request_id)
  select 'view_deleted', jsonb_build_object('view_id', view_id, 'owner', owner),
    jsonb_build_object('view_name', view_name, 'filters', filters, 'shared', shared), :actor, :request_id
  from removed
)
select view_id as removed_view_id from removed
