-- Closes what is not shipped of a partly shipped order: quantities fall to what is shipped, and with them totals, stock
-- and exposure, under the order's own terms. The order becomes shipped.
-- Lock order: order, contract, stock levels by item, client.
with terms as materialized (
  select o.client_id, o.order_id, o.version, o.order_state_id, o.order_total, y.discount, z.tax, t.total
  from orders o
  cross join lateral (
    select sum(round(i.order_item_price * i.shipped_quantity, o.minor_digits)) as goods
    from order_items i
    where i.client_id = o.client_id and i.order_id = o.order_id
  ) g
  -- include totals.part.sql
  where o.order_id = :order_id
), lines as materialized ( -- What is not shipped.
  select i.order_item_id, i.item_id, i.order_item_quantity as quantity, i.shipped_quantity as shipped
  from terms t
  join order_items i on i.client_id = t.client_id and i.order_id = t.order_id
  where i.order_item_quantity > i.shipped_quantity
), closed as (             -- An unchanged version proves that the lines and the history read here are current.
  update orders o set order_total = t.total, order_discount = t.discount, order_tax = t.tax,
    order_state_id = 'shipped', order_update_datetime = now(), version = o.version + 1,
    history_count = o.history_count + 2
  from terms t
  where o.client_id = t.client_id and o.order_id = t.order_id and o.version = t.version
    and o.order_state_id = any(:from_states) and o.order_shipped_datetime is not null and o.hold_reason is null
  returning o.*
), settled as (
  update contracts c set exposure = c.exposure + t.total - t.order_total
  from closed o, terms t
  where c.client_id = o.client_id and c.contract_id = o.contract_id
  returning c.contract_id
), held as (
  select s.stock_id, s.item_id, l.quantity - l.shipped as quantity
  from closed o
  cross join lines l
  join stock_levels s on s.stock_id = o.stock_id and s.item_id = l.item_id
  where (select count(*) from settled) >= 0 -- chained: settled first
  order by s.stock_id, s.item_id
  for no key update of s
), freed as (
  update stock_levels s set reserved = s.reserved - h.quantity
  from held h
  where s.stock_id = h.stock_id and s.item_id = h.item_id
  returning s.item_id
), reduced as (
  update order_items i set order_item_quantity = l.shipped
  from closed o, lines l
  where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_id = l.order_item_id
), entries as (            -- The first records the reason, the second the new state.
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select o.client_id, o.order_id, o.history_count - 1, 'Change of items', t.order_state_id, :reason
  from closed o, terms t
  union all
  select o.client_id, o.order_id, o.history_count, 'Change of status', o.order_state_id, ''
  from closed o
  returning entry, date, "group", state_id, text
), changes as (
  insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
  select o.client_id, o.order_id, o.history_count - 1, l.order_item_id, l.quantity, l.shipped
  from closed o, lines l
), known as (
  select o.client_id, o.order_id,
    jsonb_build_object('order_state_id', t.order_state_id, 'history_count', o.history_count - 1) as before_moving,
    -- include order-snapshot.part.sql
    as data
  from closed o
  cross join terms t
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  where (select count(*) from freed) >= 0 -- chained: freed first
), happened as (
  select client_id, 0 as place, 'order.items_changed' as event_type, order_id, data || before_moving as data from known
  union all
  select client_id, 1, 'order.state_changed', order_id, data from known
), -- include ../events/record-events.part.sql
)
select -- include operator-order-columns.part.sql
  (
    select
      -- include order-history.part.sql
    from (
      select entry, date, "group", state_id, text from entries
      union all
      select h.entry, h.date, h."group", h.state_id, h.text from order_history h
      where h.client_id = o.client_id and h.order_id = o.order_id
      order by entry desc
    ) h
  ) as history, (
    select
      -- include packed-lines.part.sql
    from (
      select i.order_item_id, i.shipped_quantity as order_item_quantity, i.order_item_price, i.item_id,
        i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.brand_name
      from order_items i
      where i.client_id = o.client_id and i.order_id = o.order_id and i.shipped_quantity > 0
      order by i.order_item_id
    ) i
  ) as lines
from closed o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
