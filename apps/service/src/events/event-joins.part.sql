-- Which events join an order or an adjustment: the function snapshotOf in event-types.ts says the same.
-- Joins to an event (e) what never changes and is not stored with it: the order (o) with its history up to that
-- moment, the adjustment with its line (a), or the request to return goods (q). The event of a new order stores
-- no history_count: it has one entry.
-- A line had the quantity before its first later change, or else the one that it has now. The shipments are those up
-- to that moment.
-- The limits make PostgreSQL look up each row. It cannot know how few events a page has, and would read whole tables.
left join lateral (
  select x.*, (
      select coalesce(string_agg(concat_ws(E'\x1f',
        h.date, h."group", h.state_id, h.text), E'\x1e'), '')
      from (
        select h.date, h."group", h.state_id, h.text from order_history h
        where h.client_id = x.client_id and h.order_id = x.order_id and h.entry <= m.history_count
        order by h.entry desc
      ) h
    ) as history, (
      select coalesce(string_agg(concat_ws(E'\x1f',
        i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id, i.item_vendor_code,
        i.item_barcode, i.item_title, i.brand_id, i.brand_name), E'\x1e'), '')
      from (
        select i.order_item_id, i.order_item_price, i.item_id, i.item_vendor_code, i.item_barcode, i.item_title,
          i.brand_id, i.brand_name, coalesce((
            select y.quantity_before from order_item_changes y
            where y.client_id = i.client_id and y.order_id = i.order_id and y.order_item_id = i.order_item_id
              and y.entry > m.history_count
            order by y.entry
            limit 1
          ), i.order_item_quantity) as order_item_quantity
        from order_items i
        where i.client_id = x.client_id and i.order_id = x.order_id and e.event_type like 'order.%'
        order by i.order_item_id
      ) i
      where i.order_item_quantity > 0
    ) as lines, (
      select coalesce(string_agg(concat_ws(E'\x1f',
        p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, p.order_item_id, p.quantity), E'\x1e'), '')
      from (
        select p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, l.order_item_id, l.quantity
        from shipments p
        join shipment_lines l on l.client_id = p.client_id and l.order_id = p.order_id and l.shipment_id = p.shipment_id
        where p.client_id = x.client_id and p.order_id = x.order_id and p.entry <= m.history_count
          and e.event_type like 'order.%'
        order by p.shipment_id, l.order_item_id
      ) p
    ) as shipped_lines, (
      select string_agg(concat_ws(E'\x1f',
        r.return_id, r.return_datetime, r.reason, r.restocked, r.order_item_id, r.quantity), E'\x1e')
      from (
        select r.return_id, r.return_datetime, r.reason, r.restocked, l.order_item_id, l.quantity
        from order_returns r
        join order_return_lines l on l.client_id = r.client_id and l.order_id = r.order_id and l.return_id = r.return_id
        where r.client_id = x.client_id and r.order_id = x.order_id and r.return_id = (e.data->>'return_id')::bigint
          and e.event_type = 'order.returned'
        order by l.order_item_id
      ) r
    ) as returned_lines, (
      select jsonb_object_agg(m.key, m.value) from order_metadata m
      where m.client_id = x.client_id and m.order_id = x.order_id and m.by_client and e.event_type = 'order.created'
    ) as sent_metadata
  from orders x
  cross join lateral (select coalesce((e.data->>'history_count')::integer, 1) as history_count) m
  where x.client_id = e.client_id and x.order_id = e.order_id and e.fits
    and (e.event_type like 'order.%' or e.event_type = 'contract.limit_low')
  limit 1
) o on true
left join lateral (
  select x.adjustment_date_create, x.order_item_id, x.quantity_before, x.quantity_wanted, x.reason,
    x.decided_by, x.decided_at, i.item_id, i.product_id, i.product_name, i.item_title,
    i.item_vendor_code
  from adjustments x
  join order_items i on i.client_id = x.client_id and i.order_id = x.order_id and i.order_item_id = x.order_item_id
  where x.client_id = e.client_id and x.order_id = e.order_id and x.adjustment_id = (e.data->>'adjustment_id')::bigint
    and e.event_type like 'adjustment.%'
  limit 1
) a on true
left join lateral ( -- A request may be accepted and later rejected: each event has its own decision.
  select x.request_datetime, x.reason, x.instruction, x.canceled_message, x.return_id, x.pieces,
    case when e.event_type = 'return_request.decided' then e.event_datetime else x.decided_at end as decided_at,
    coalesce(e.data->>'decided_by', x.decided_by) as decided_by
  from shown_return_requests x
  where x.client_id = e.client_id and x.order_id = e.order_id
    and x.return_request_id = (e.data->>'return_request_id')::bigint and e.event_type like 'return_request.%'
  limit 1
) q on true
