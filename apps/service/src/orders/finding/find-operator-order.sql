-- One order by its id or by its number.
select -- columns o
  ( -- As a JSON array, oldest first: `adjustmentColumns` in adjustment.ts.
    select coalesce(jsonb_agg(jsonb_build_object('order_id', a.order_id, 'adjustment_id', a.adjustment_id,
      'adjustment_status', a.adjustment_status, 'adjustment_canceled_message', a.adjustment_canceled_message,
      'difference', a.difference, 'adjustment_date_create', to_char(a.adjustment_date_create, 'YYYY-MM-DD HH24:MI:SS'),
      'order_item_id', a.order_item_id, 'quantity_before', a.quantity_before, 'quantity_wanted', a.quantity_wanted,
      'reason', a.reason, 'decided_by', shown_actor(a.decided_by), 'decided_at',
      to_char(a.decided_at, 'YYYY-MM-DD HH24:MI:SS'),
      'item_id', i.item_id, 'product_id', i.product_id, 'product_name', i.product_name, 'item_title', i.item_title,
      'item_vendor_code', i.item_vendor_code) order by a.adjustment_id), '[]')
    from adjustments a
    join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
    where a.client_id = o.client_id and a.order_id = o.order_id
  ) as adjustments
from (
  select * from shown_orders where order_id = :order_id
  union all
  select * from shown_orders where order_number = :order_number
) o
