-- A view that the operator sees, and whether its owner has another one of the given name.
select owner = :owner or (shared and :administers) as changeable, o.operator_name as owner_name,
  exists (
    select from operator_views x
    where x.owner = v.owner and x.view_name = :view_name::text and x.view_id <> v.view_id
  ) as name_taken
from operator_views v
-- include view-owner.part.sql
where view_id = :view_id and (owner = :owner or shared)
