-- The page of a client's orders (page), newest first. Exactly one of the five branches runs and scans one index from
-- the page's start; several states are merged from one scan for each.
page as (
  (select o.order_id, o.order_create_datetime from orders o
   where :states::text[] is null and :sku_code::text is null and :reference::text is null
     and :pair_key::text is null
     and o.client_id = :client_id
     and -- include placed-before.part.sql
   limit :page_size)
  union all
  (select o.order_id, o.order_create_datetime
   from unnest(:states) s (state)
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where :sku_code is null and :reference is null and :pair_key is null
       and o.client_id = :client_id and o.order_state_id = s.state
       and -- include placed-before.part.sql
     limit :page_size
   ) o
   order by o.order_create_datetime desc, o.order_id desc
   limit :page_size)
  union all
  (select distinct i.order_id, i.order_create_datetime from order_items i
   where :sku_code is not null and :reference is null and :pair_key is null
     and i.client_id = :client_id and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0
     and (:states is null or exists (
       select 1 from orders o
       where o.client_id = i.client_id and o.order_id = i.order_id and o.order_state_id = any(:states)))
     and -- include placed-before.part.sql
   limit :page_size)
  union all
  (select o.order_id, o.order_create_datetime from orders o
   where :reference is not null and :pair_key is null and o.client_id = :client_id and o.reference = :reference
     and (:states is null or o.order_state_id = any(:states))
     and (:sku_code is null or exists (
       select 1 from order_items i
       where i.client_id = o.client_id and i.order_id = o.order_id
         and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0))
     and -- include placed-before.part.sql
   limit :page_size)
  union all
  (select m.order_id, m.order_create_datetime from order_metadata m
   where :pair_key is not null and m.client_id = :client_id and m.by_client and m.key = :pair_key
     and m.value = :pair_value::text
     and exists (
       select 1 from orders o
       where o.client_id = m.client_id and o.order_id = m.order_id
         and (:states is null or o.order_state_id = any(:states)) and (:reference is null or o.reference = :reference)
         and (:sku_code is null or exists (
           select 1 from order_items i
           where i.client_id = o.client_id and i.order_id = o.order_id
             and lower(i.item_vendor_code) = lower(:sku_code) and i.order_item_quantity > 0)))
     and -- include placed-before.part.sql
   limit :page_size)
