-- How much of a line (i) can still be returned: what was shipped and has not come back.
i.shipped_quantity - coalesce((
  select sum(x.quantity) from order_return_lines x
  where x.client_id = i.client_id and x.order_id = i.order_id and x.order_item_id = i.order_item_id
), 0)::integer as returnable
