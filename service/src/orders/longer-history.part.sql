-- The history of an order (o) in one column, with the entry that the step `entry` adds.
(
  select
    -- include order-history.part.sql
  from (
    select entry, date, "group", state_id, text from entry
    union all
    select h.entry, h.date, h."group", h.state_id, h.text from order_history h
    where h.client_id = o.client_id and h.order_id = o.order_id
    order by entry desc
  ) h
)
