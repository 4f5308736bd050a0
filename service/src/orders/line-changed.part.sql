-- What follows from a change of a line by an operator, and its effect. For statements with the steps
-- `terms` (the line with its quantities, the order before, and its totals after), `changed` (the order) and `line` (the
-- id of the line). They take the parameters reason, actor and request_id.
-- The include ends in the open step `effect`, of which line-effect.part.sql selects the result.
exposed as (               -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from changed o, terms t, lateral (select t.exposure - t.order_total as rise) x
  where c.client_id = o.client_id and c.contract_id = o.contract_id
  returning -- include contract-raised.part.sql
), reserved as (           -- The constraint out_of_stock can refuse all. A virtual order reserves nothing.
  update stock_levels s set reserved = s.reserved + t.quantity_wanted - t.quantity
  from changed o, terms t, exposed
  where s.stock_id = o.stock_id and s.item_id = t.item_id and not o.virtual
  returning case when s.back_order then null else s.on_hand - s.reserved end as available
), entries as (            -- Records the quantities before and after, and why.
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select o.client_id, o.order_id, o.items_entry, 'Change of items', t.order_state_id,
    t.item_vendor_code || ': ' || t.quantity || ' → ' || t.quantity_wanted || '. ' || :reason
  from changed o, terms t
  union all
  select o.client_id, o.order_id, o.history_count, 'Change of status', o.order_state_id,
    case t.ended_as when 'canceled' then 'The last item was removed.' else 'Nothing is left to ship.' end
  from changed o, terms t
  where t.ended_as is not null
), change as (
  insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
  select o.client_id, o.order_id, o.items_entry, l.order_item_id, t.quantity, t.quantity_wanted
  from changed o, terms t, line l
), closed as (             -- An open request for the line is answered by the change; an ended order has no requests.
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = :actor,
    adjustment_canceled_message = case when a.order_item_id = l.order_item_id
      then 'The distributor changed the quantity to ' || t.quantity_wanted || '.'
      else 'The order has moved on to the state ' || o.order_state_id || '.' end
  from changed o, terms t, line l
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_status = 'WAIT'
    and (a.order_item_id = l.order_item_id or t.ended_as is not null)
    and (select count(*) from reserved) >= 0 -- chained: reserved first
  returning a.*
), known as (              -- The data of the events about the order and its contract.
  select o.client_id, o.order_id, c.limit_low, t.ended_as,
    jsonb_build_object('order_state_id', t.order_state_id, 'history_count', o.items_entry) as before_ending,
    jsonb_build_object('exposure', c.exposure) ||
    -- include order-snapshot.part.sql
    as data
  from changed o
  cross join terms t
  cross join exposed c
  join stocks s on s.stock_id = o.stock_id
  where (select count(*) from reserved) >= 0 -- chained: reserved first
), happened as (
  select client_id, 1 as place, 'order.items_changed' as event_type, order_id, data || before_ending as data
  from known
  union all
  select client_id, 2, 'contract.limit_low', order_id, data from known where limit_low = 1
  union all
  select client_id, 3, 'order.state_changed', order_id, data from known where ended_as is not null
  union all
  select a.client_id, 3 + a.adjustment_id, 'adjustment.decided', a.order_id,
    -- include adjustment-snapshot.part.sql
  from closed a
), -- include ../events/record-events.part.sql
), effect as (
  select o.order_id, o.order_number, l.order_item_id, t.item_id, t.item_vendor_code, t.item_title, t.order_item_price,
    t.quantity as quantity_before, t.quantity_wanted as quantity_after,
    t.order_state_id as state_before, o.order_state_id as state_after,
    t.order_total as total_before, o.order_total as total_after, t.order_tax as tax_before, o.order_tax as tax_after,
    t.order_discount as discount_before, o.order_discount as discount_after,
    o.stock_id, (select available from reserved) as available_after,
    o.contract_id, case when c.contract_limit > 0 then c.contract_limit - c.exposure end as limit_left_after,
    (select a.adjustment_id from closed a where a.order_item_id = l.order_item_id) as closed_adjustment_id
  from changed o, terms t, line l, exposed c
