-- Ships the requested quantities of an order, or everything that is open. The last piece makes the order shipped.
-- Lock order: order, stock levels by item, client.
with seen as materialized (
  select client_id, order_id, version from orders
  where order_id = :order_id
), lines as materialized ( -- What is open of each line, and what of it is shipped now.
  select i.order_item_id, i.item_id, i.order_item_quantity - i.shipped_quantity as open,
    case when :order_item_ids is null then i.order_item_quantity - i.shipped_quantity
      else coalesce(w.quantity, 0)::integer end as quantity
  from seen s
  join order_items i on i.client_id = s.client_id and i.order_id = s.order_id
  left join unnest(:order_item_ids::bigint[], :quantities::bigint[]) w (order_item_id, quantity)
    on w.order_item_id = i.order_item_id
), load as (
  select count(*) filter (where quantity > 0) as line_count, bool_or(quantity > open) as too_much,
    sum(quantity) = sum(open) as complete
  from lines
), shipped as (            -- An unchanged version proves that the lines and the history read here are current.
  update orders o set order_state_id = case when l.complete then 'shipped' else o.order_state_id end,
    -- A shipment that began later may have been committed before this one.
    order_shipped_datetime =
      case when l.line_count > 0 then greatest(now(), o.order_shipped_datetime) else o.order_shipped_datetime end,
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from seen s, load l
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.order_state_id = any(:from_states) and not o.virtual and o.hold_reason is null
    and not l.too_much and l.line_count = coalesce(cardinality(:order_item_ids), l.line_count)
  returning o.*
), held as (
  select s.stock_id, s.item_id, l.quantity
  from shipped o
  cross join lines l
  join stock_levels s on s.stock_id = o.stock_id and s.item_id = l.item_id
  where l.quantity > 0
  order by s.stock_id, s.item_id
  for no key update of s
), taken as (              -- The goods leave the stock: stock_levels_on_hand refuses missing goods.
  update stock_levels s set reserved = s.reserved - h.quantity, on_hand = s.on_hand - h.quantity
  from held h
  where s.stock_id = h.stock_id and s.item_id = h.item_id
  returning s.item_id
), sent as (               -- None if everything was shipped before, or closed.
  insert into shipments (client_id, order_id, entry, carrier, tracking, shipped_by)
  select o.client_id, o.order_id, o.history_count, :carrier, :tracking, :actor
  from shipped o, load l
  where l.line_count > 0
  returning client_id, order_id, shipment_id, shipment_datetime, carrier, tracking
), packed as (
  insert into shipment_lines (client_id, order_id, shipment_id, order_item_id, quantity)
  select p.client_id, p.order_id, p.shipment_id, l.order_item_id, l.quantity
  from sent p, lines l
  where l.quantity > 0
), counted as (
  update order_items i set shipped_quantity = i.shipped_quantity + l.quantity
  from sent p, lines l
  where i.client_id = p.client_id and i.order_id = p.order_id and i.order_item_id = l.order_item_id and l.quantity > 0
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text, move_id)
  select o.client_id, o.order_id, o.history_count, case when l.complete then 'Change of status' else 'Shipment' end,
    o.order_state_id, :text, :move_id
  from shipped o, load l
  returning client_id, order_id, entry, date, "group", state_id, text
), known as (
  select o.client_id, o.order_id, o.order_state_id,
    -- include order-snapshot.part.sql
    as data
  from shipped o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  where (select count(*) from taken) >= 0 -- chained: taken first
), happened as (
  select k.client_id, 0 as place, 'order.shipped' as event_type, k.order_id,
    k.data || jsonb_build_object('shipment_id', p.shipment_id) as data
  from known k, sent p
  union all
  select client_id, 1, 'order.state_changed', order_id, data from known where order_state_id = 'shipped'
), -- include ../events/record-events.part.sql
), remembered as (         -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'ship-order', :idempotency_key, :request_digest, json_build_object('order_id', order_id)
  from shipped
  where :idempotency_key::text is not null
), answered as (           -- An order that is in the requested state already stays unchanged.
  select * from shipped
  union all
  select o.* from orders o
  where o.order_id = :order_id and o.order_state_id = :unchanged_state
)
select -- include operator-order-columns.part.sql
  -- include longer-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines, (
    select
      -- include packed-shipments.part.sql
    from (
      select p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, l.order_item_id, l.quantity
      from sent p, lines l
      where l.quantity > 0
      order by l.order_item_id
    ) p
  ) as shipped_now
from answered o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
