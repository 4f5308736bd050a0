-- A view that the operator sees, and whether its owner has another one of the given name.
select owner = :owner or (shared and :administers) as changeable, owner_name,
  exists (
    select from operator_views o
    where o.owner = v.owner and o.view_name = :view_name::text and o.view_id <> v.view_id
  ) as name_taken
from operator_views v
where view_id = :view_id and (owner = :owner or shared)
