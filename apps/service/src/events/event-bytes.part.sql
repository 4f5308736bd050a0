-- About how many bytes an event (x) takes in an answer: itself, its history, and its lines, dropped ones included.
-- Counting takes a fraction of the time of building the answer. An order's list of lines is the same in all its events.
(
  1000 + 100 * coalesce((x.data->>'history_count')::integer, 1) + 400 * (
    select count(*)::integer from order_items i
    where i.client_id = x.client_id and i.order_id = x.order_id and x.event_type like 'order.%'
  ) + (
    select coalesce(sum(20 + octet_length(m.key) + octet_length(m.value)), 0)::integer from order_metadata m
    where m.client_id = x.client_id and m.order_id = x.order_id and m.by_client and x.event_type = 'order.created'
  )
) as bytes
