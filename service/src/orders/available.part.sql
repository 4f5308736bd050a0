-- How much of a line an order (o) could reserve now at its stock level (v); null if any quantity.
case when o.virtual or v.back_order then null else greatest(coalesce(v.on_hand - v.reserved, 0), 0) end as available
