-- Records a return of shipped goods, which go back into the stock or not.
-- Lock order: order, stock levels by item, client.
with seen as materialized (
  select client_id, order_id, version from orders
  where order_id = :order_id
), lines as materialized (
  select i.order_item_id, i.item_id, w.quantity::integer as quantity,
    -- include returnable-lines.part.sql
  from seen s
  join order_items i on i.client_id = s.client_id and i.order_id = s.order_id
  join unnest(:order_item_ids::bigint[], :quantities::bigint[]) w (order_item_id, quantity)
    on w.order_item_id = i.order_item_id
), load as (
  select count(*) as line_count, bool_or(quantity > returnable) as too_much from lines
), returned as (           -- An unchanged version proves that the lines, returns and history read here are current.
  update orders o set order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from seen s, load l
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and not l.too_much and l.line_count = cardinality(:order_item_ids)
  returning o.*
), held as (
  select s.stock_id, s.item_id, l.quantity
  from returned o
  cross join lines l
  join stock_levels s on s.stock_id = o.stock_id and s.item_id = l.item_id
  where :restock
  order by s.stock_id, s.item_id
  for no key update of s
), restocked as (
  update stock_levels s set on_hand = s.on_hand + h.quantity
  from held h
  where s.stock_id = h.stock_id and s.item_id = h.item_id
  returning s.item_id
), kept as (
  insert into order_returns (client_id, order_id, entry, reason, restocked, returned_by)
  select client_id, order_id, history_count, :reason, :restock, :actor from returned
  returning client_id, order_id, return_id, return_datetime, reason, restocked
), counted as (
  insert into order_return_lines (client_id, order_id, return_id, order_item_id, quantity)
  select k.client_id, k.order_id, k.return_id, l.order_item_id, l.quantity
  from kept k, lines l
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, history_count, 'Return', order_state_id, :reason from returned
  returning client_id, order_id, entry, date, "group", state_id, text
), happened as (
  select o.client_id, 0 as place, 'order.returned' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from returned o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  where (select count(*) from restocked) >= 0 -- chained: restocked first
), -- include ../events/record-events.part.sql
), remembered as (         -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'return-goods', :idempotency_key, :request_digest, json_build_object('order_id', order_id)
  from returned
  where :idempotency_key::text is not null
)
select -- include operator-order-columns.part.sql
  -- include longer-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines, r.return_id, r.return_datetime
from returned o
cross join kept r
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
