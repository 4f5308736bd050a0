-- The history of an order (o) in one column.
(
  select
    -- include order-history.part.sql
  from (
    select h.date, h."group", h.state_id, h.text from order_history h
    where h.client_id = o.client_id and h.order_id = o.order_id
    order by h.entry desc
  ) h
)
