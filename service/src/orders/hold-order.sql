-- Puts an order on hold with :reason, or releases it if that is null. Nothing changes if it is so already.
-- Lock order: order, client.
with seen as materialized (
  select client_id, order_id, version from orders
  where order_id = :order_id
), changed as (            -- An unchanged version proves that the history read here is complete.
  update orders o set hold_reason = :reason,
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and o.hold_reason is distinct from :reason and o.order_state_id = any(:holdable)
  returning o.*
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, history_count, case when hold_reason is null then 'Release' else 'Hold' end,
    order_state_id, coalesce(hold_reason, '')
  from changed
  returning client_id, order_id, entry, date, "group", state_id, text
), happened as (
  select o.client_id, 0 as place, case when o.hold_reason is null then 'order.released' else 'order.held' end
    as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from changed o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
), -- include ../events/record-events.part.sql
), answered as (
  select * from changed
  union all
  select o.* from orders o
  where o.order_id = :order_id and o.hold_reason is not distinct from :reason
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
