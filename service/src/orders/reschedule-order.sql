-- Reschedules an order of any client, by an operator, as change-shipping-date.sql does for its client.
with seen as materialized (
  select o.client_id, o.order_id, o.version, o.stock_id
  from orders o
  where o.order_id = :order_id
), -- include reschedule.part.sql
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
