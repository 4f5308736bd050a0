-- A page of the adjustments of all clients or of one, newest first. Each status is read from one index; which of the
-- two branches runs depends on the client.
with page as (
  (select a.adjustment_id
   from unnest(:statuses::text[]) s (status)
   cross join lateral (
     select a.adjustment_id from adjustments a
     where :client::bigint is null and a.adjustment_status = s.status and a.adjustment_id < :before_id
     order by a.adjustment_id desc
     limit :page_size
   ) a)
  union all
  (select a.adjustment_id
   from unnest(:statuses) s (status)
   cross join lateral (
     select a.adjustment_id from adjustments a
     where a.client_id = :client and a.adjustment_status = s.status and a.adjustment_id < :before_id
     order by a.adjustment_id desc
     limit :page_size
   ) a)
  order by adjustment_id desc
  limit :page_size
)
select -- columns a
  a.client_id, c.client_name, o.order_number
from page p
cross join lateral (
  select * from shown_adjustments a where a.adjustment_id = p.adjustment_id
) a
cross join lateral (select c.client_name from clients c where c.client_id = a.client_id) c
cross join lateral (
  select o.order_number from orders o
  where o.client_id = a.client_id and o.order_id = a.order_id
) o
order by a.adjustment_id desc
