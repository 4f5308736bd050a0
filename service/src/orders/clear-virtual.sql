-- Reserves the goods of a virtual order, all or none. An order that is not virtual stays unchanged.
-- Lock order: order, stock levels by item, client.
with seen as materialized (
  select client_id, order_id, version from orders
  where order_id = :order_id
), locked as (             -- An unchanged version proves that the lines and the history read here are complete.
  select o.client_id, o.order_id, o.stock_id
  from seen s
  join orders o on o.client_id = s.client_id and o.order_id = s.order_id
  where o.version = s.version and o.virtual and o.order_state_id = any(:reservable)
  for no key update of o
), wanted as (
  select s.stock_id, s.item_id, i.order_item_quantity - i.shipped_quantity as quantity
  from locked o
  join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
  join stock_levels s on s.stock_id = o.stock_id and s.item_id = i.item_id
  where i.order_item_quantity > 0
  order by s.stock_id, s.item_id
  for no key update of s
), reserved as (           -- The constraint out_of_stock can refuse the whole statement.
  update stock_levels s set reserved = s.reserved + w.quantity
  from wanted w
  where s.stock_id = w.stock_id and s.item_id = w.item_id
  returning s.item_id
), cleared as (            -- A line without a stock level makes the total null: every_line_reserved refuses.
  update orders o set virtual = false, order_update_datetime = now(),
    version = o.version + 1, history_count = o.history_count + 1, order_total = case when r.line_count = (
      select count(*) from order_items i
      where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > 0
    ) then o.order_total end
  from locked l, (select count(*) as line_count from reserved) r
  where o.client_id = l.client_id and o.order_id = l.order_id
  returning o.*
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id)
  select client_id, order_id, history_count, 'Change of reservation', order_state_id from cleared
  returning client_id, order_id, entry, date, "group", state_id, text
), happened as (
  select o.client_id, 0 as place, 'order.changed' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from cleared o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
), -- include ../events/record-events.part.sql
), answered as (
  select * from cleared
  union all
  select o.* from orders o
  where o.order_id = :order_id and not o.virtual
)
select -- include operator-order-columns.part.sql
  -- include longer-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines
from answered o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
