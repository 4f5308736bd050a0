with changed as (
  update operator_views set view_name = coalesce(:view_name, view_name), filters = coalesce(:filters, filters),
    shared = coalesce(:shared, shared), changed_at = now()
  where view_id = :view_id and (owner = :owner or (shared and :administers))
  returning *
)
select -- include view-columns.part.sql
from changed v
-- include view-owner.part.sql
