-- An event (e) keeps what may change later (orders/…-snapshot.part.sql). What never changes stands in the order (o), in its history up
-- to that moment (h), in the adjustment (a) and its line (i). Events from before they kept it are found by neither mark.
left join orders o on e.data ? 'stock_name' and o.client_id = e.client_id and o.order_id = e.order_id
left join lateral (
  select jsonb_agg(jsonb_build_object('date', left(x.date::text, 19), 'group', x."group", 'state_id', x.state_id, 'text', x.text)
    order by x.entry desc) as history
  from order_history x
  where x.client_id = o.client_id and x.order_id = o.order_id and x.entry <= coalesce((e.data->>'history_count')::integer, 1)
) h on true
left join adjustments a on e.data ? 'difference' and a.client_id = e.client_id and a.order_id = e.order_id
  and a.adjustment_id = (e.data->>'adjustment_id')::bigint
left join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
