-- A page of all clients' orders, newest first. Exactly one of the nine branches runs (:way) and scans one index from
-- the page's start, by state for each of them; the remaining filters are tested on each order found. A page examines at
-- most :scan_max orders, so its cost does not depend on the number of orders: it may be short or empty and still have a
-- next page.
with asked as (            -- A contract's orders belong to its client; null if the contract does not belong to :client.
  select case when :contract_id::bigint is null then :client::bigint
    else (
      select client_id from contracts
      where contract_id = :contract_id and (:client::bigint is null or client_id = :client)
    ) end as client_id
), candidates as (
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'all'
     and -- include placed-before.part.sql
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime
   from unnest(:states::text[]) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :way = 'state' and o.order_state_id = s.state
       and -- include placed-before.part.sql
     limit :scan_max
   ) o
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'client' and o.client_id = (select client_id from asked)
     and -- include placed-before.part.sql
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime
   from unnest(:states) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :way = 'client and state' and o.client_id = (select client_id from asked) and o.order_state_id = s.state
       and -- include placed-before.part.sql
     limit :scan_max
   ) o
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime
   from unnest(:states) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :way = 'stock' and o.stock_id = :stock_id and o.order_state_id = s.state
       and -- include placed-before.part.sql
     limit :scan_max
   ) o
   order by o.order_create_datetime desc, o.order_id desc
   limit :scan_max)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :way = 'held' and o.hold_reason is not null
     and -- include placed-before.part.sql
   limit :scan_max)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :way = 'article' and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0
     and -- include placed-before.part.sql
   limit :scan_max)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :way = 'client and article' and i.client_id = (select client_id from asked)
     and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0
     and -- include placed-before.part.sql
   limit :scan_max)
  union all
  (select distinct m.order_id, m.order_create_datetime from order_metadata m -- Both sides may have the pair.
   where :way = 'metadata' and m.key = :pair_key::text and m.value = :pair_value::text
     and -- include placed-before.part.sql
   limit :scan_max)
), placed as (
  select order_id, order_id::text as position,
    row_number() over (order by order_create_datetime desc, order_id desc) as place
  from candidates
  order by place
  limit :scan_max
), -- include operator-orders-page.part.sql
