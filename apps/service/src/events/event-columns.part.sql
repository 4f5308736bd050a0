-- The columns of an event (e), and of what event-joins.part.sql joins to it: `eventColumns` in event-data.ts.
-- The listed ones are `eventOrderColumns`.
  e.event_number, e.event_type, e.event_datetime, e.order_id, e.data, e.fits,
  -- columns o
  o.history, o.lines, o.shipped_lines, o.returned_lines, o.sent_metadata,
  (e.data->>'order_update_datetime')::timestamptz as order_update_datetime,
  (e.data->>'order_shipped_datetime')::timestamptz as order_shipped_datetime,
  (e.data->>'order_archive_datetime')::timestamptz as order_archive_datetime,
  a.adjustment_date_create, a.order_item_id, a.quantity_before, a.quantity_wanted,
  coalesce(a.reason, q.reason) as reason,
  shown_actor(coalesce(a.decided_by, q.decided_by)) as decided_by, coalesce(a.decided_at, q.decided_at) as decided_at,
  q.request_datetime, q.instruction, q.canceled_message, q.return_id, q.pieces,
  a.item_id, a.product_id, a.product_name, a.item_title, a.item_vendor_code
