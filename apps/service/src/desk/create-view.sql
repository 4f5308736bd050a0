-- If the owner has this very view already, that one is the answer, so a retry changes nothing. Two requests at the same
-- time may exceed :views_max by one: it only keeps the list short.
with created as (
  insert into operator_views (owner, view_name, filters, shared)
  select :owner, :view_name, :filters, :shared
  where (select count(*) from operator_views where owner = :owner) < :views_max
  on conflict on constraint operator_views_name_is_unique do nothing
  returning *
), audited as (
  insert into audit_entries (audit_action, subject, new_value, actor, request_id)
  select 'view_created', jsonb_build_object('view_id', view_id, 'owner', owner),
    jsonb_build_object('view_name', view_name, 'filters', filters, 'shared', shared), :actor, :request_id
  from created
)
select -- include view-columns.part.sql
from (
  select * from created
  union all
  select * from operator_views
  where owner = :owner and view_name = :view_name and filters = :filters and shared = :shared
) v
-- include view-owner.part.sql
