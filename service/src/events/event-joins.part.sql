-- Generated from the lists of fields by npm run generate.
-- Which events join an order or an adjustment: the function snapshotOf in event-types.ts says the same.
-- Joins to an event (e) what never changes and is not stored with it: the order (o) with its history up to that
-- moment, or the adjustment with its line (a). The event of a new order stores no history_count: it has one entry.
-- The limits make PostgreSQL look up each row. It cannot know how few events a page has, and would read whole tables.
left join lateral (
  select x.order_number, x.order_contact_id, x.order_create_datetime, x.order_rate, x.order_shipping,
    x.order_advertising, x.stock_id, x.contract_id, (
      select jsonb_agg(
        jsonb_build_object('date', left(h.date::text, 19), 'group', h."group", 'state_id', h.state_id, 'text', h.text)
        order by h.entry desc)
      from order_history h
      where h.client_id = x.client_id and h.order_id = x.order_id
        and h.entry <= coalesce((e.data->>'history_count')::integer, 1)
    ) as history
  from orders x
  where x.client_id = e.client_id and x.order_id = e.order_id
    and (e.event_type like 'order.%' or e.event_type = 'contract.limit_low')
  limit 1
) o on true
left join lateral (
  select x.adjustment_date_create, i.item_id, i.product_id, i.product_name, i.item_title,
    i.item_vendor_code
  from adjustments x
  join order_items i on i.client_id = x.client_id and i.order_id = x.order_id and i.order_item_id = x.order_item_id
  where x.client_id = e.client_id and x.order_id = e.order_id and x.adjustment_id = (e.data->>'adjustment_id')::bigint
    and e.event_type like 'adjustment.%'
  limit 1
) a on true
