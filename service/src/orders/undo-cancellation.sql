-- Undoes a cancellation: the order returns to its state before it, and before the request if there was one. Its goods
-- are reserved again, all or none, and it counts against the limit again.
-- Lock order: order, contract, stock levels by item, client.
with seen as materialized (
  select o.client_id, o.order_id, o.version, -- include cancelled-order.part.sql
  where o.order_id = :order_id
), restored as (           -- An unchanged version proves that the lines and the history read here are complete.
  update orders o set order_state_id = s.state_before, order_update_datetime = now(),
    version = o.version + 1, history_count = o.history_count + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = 'canceled' and o.order_archive_datetime is null and s.in_time and s.has_lines
  returning o.*
), exposed as (            -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from restored o, lateral (select o.order_total as rise) x
  where c.client_id = o.client_id and c.contract_id = o.contract_id
  returning -- include contract-raised.part.sql
), wanted as (             -- A virtual order reserves nothing.
  select s.stock_id, s.item_id, i.order_item_quantity - i.shipped_quantity as quantity
  from exposed, restored o
  join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
  join stock_levels s on s.stock_id = o.stock_id and s.item_id = i.item_id
  where not o.virtual and i.order_item_quantity > 0
  order by s.stock_id, s.item_id
  for no key update of s
), reserved as (           -- The constraint out_of_stock can refuse the whole statement.
  update stock_levels s set reserved = s.reserved + w.quantity
  from wanted w
  where s.stock_id = w.stock_id and s.item_id = w.item_id
  returning s.item_id
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, history_count, 'Change of status', order_state_id, :reason from restored
  returning client_id, order_id, entry, date, "group", state_id, text
), known as (
  select o.client_id, o.order_id, c.limit_low,
    jsonb_build_object('exposure', c.exposure) ||
    -- include order-snapshot.part.sql
    as data
  from restored o
  cross join exposed c
  join stocks s on s.stock_id = o.stock_id
  where (select count(*) from reserved) >= 0 -- chained: reserved first
), happened as (
  select client_id, 0 as place, 'order.state_changed' as event_type, order_id, data from known
  union all
  select client_id, 1, 'contract.limit_low', order_id, data from known where limit_low = 1
), -- include ../events/record-events.part.sql
)
select -- include operator-order-columns.part.sql
  -- include longer-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines
from restored o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
