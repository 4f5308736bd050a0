-- The page of the operators' orders that `placed` lists (order_id, place from 1, position), at most :scan_max of them
-- in the order of their places: those that pass all filters, in full, and the last one if there may be more after it.
page as (
  (select c.order_id, c.place, c.position, true as found
   from (select order_id, place, position from placed order by place) c
   where exists (
     select 1 from orders o
     where o.order_id = c.order_id and o.order_state_id = any(:states)
       and (:client::bigint is null or o.client_id = :client)
       and (:stock_id::bigint is null or o.stock_id = :stock_id)
       and (:contract_id::bigint is null or o.contract_id = :contract_id)
       and (:tested_sku::text is null or exists (
         select 1 from order_items i
         where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > 0
           and lower(i.item_vendor_code) = lower(:tested_sku)))
       and (:tested_key::text is null or exists (
         select 1 from order_metadata m
         where m.client_id = o.client_id and m.order_id = o.order_id and m.key = :tested_key
           and m.value = :tested_value::text))
       and (:date_from::timestamptz is null or o.order_create_datetime >= :date_from)
       and (:date_to::timestamptz is null or o.order_create_datetime < :date_to)
       and (:ship_from::date is null or o.order_shipping_date >= :ship_from)
       and (:ship_to::date is null or o.order_shipping_date <= :ship_to)
       and (:changed_since::timestamptz is null or o.order_update_datetime >= :changed_since)
       and (:held::boolean is null or (o.hold_reason is not null) = :held)
       and (:virtual::boolean is null or o.virtual = :virtual)
       and (:short::boolean is null or :short = (not o.virtual and o.order_state_id = any(:open_states::text[])
         and exists (      -- Not all that is reserved of an item is on hand.
           select 1 from order_items i
           join stock_levels l on l.stock_id = o.stock_id and l.item_id = i.item_id
           where i.client_id = o.client_id and i.order_id = o.order_id
             and i.order_item_quantity > i.shipped_quantity and l.reserved > l.on_hand))))
   order by c.place
   limit :page_size)
  union all
  (select order_id, place, position, false from placed where place = :scan_max) -- The last order examined.
), counted as (            -- An order does not fit if those before it on the page take :bytes_max bytes or more.
  select p.order_id, p.place, p.position, p.found,
    sum(l.bytes) over (order by p.place, p.found desc) - l.bytes < :bytes_max as fits
  from page p
  cross join lateral (
    select o.client_id, o.history_count from orders o where o.order_id = p.order_id
  ) o
  cross join lateral (
    select count(*)::integer as note_count from order_notes m
    where p.found and m.client_id = o.client_id and m.order_id = p.order_id
  ) m
  cross join lateral (     -- About: as event-bytes.part.sql estimates an event.
    select case when p.found then 1000 + 100 * o.history_count + 300 * m.note_count + 400 * count(*)::integer
      else 0 end as bytes
    from order_items i
    where p.found and i.client_id = o.client_id and i.order_id = p.order_id
  ) l
)
select -- columns o
  p.position, p.found, p.fits
from counted p
left join lateral (
  select * from shown_orders o where o.order_id = p.order_id and p.found and p.fits
) o on true
order by p.place, p.found desc
