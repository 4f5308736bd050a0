-- An operator's own views and all shared ones, by id.
select -- include view-columns.part.sql
from (
  (select * from operator_views where owner = :owner and view_id > :after_id order by view_id limit :page_size)
  union all
  (select * from operator_views where shared and owner <> :owner and view_id > :after_id
   order by view_id
   limit :page_size)
) v
-- include view-owner.part.sql
order by view_id
limit :page_size
