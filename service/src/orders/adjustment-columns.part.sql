-- Generated from adjustment.ts by npm run generate.
-- The columns of an adjustment (a) and its line (i): `adjustmentColumns` in adjustment.ts.
  a.order_id, a.adjustment_id, a.adjustment_status, a.adjustment_canceled_message, a.difference,
  a.adjustment_date_create, a.order_item_id, a.quantity_before, a.quantity_wanted, a.reason,
  a.decided_by, a.decided_at, i.item_id, i.product_id, i.product_name, i.item_title,
  i.item_vendor_code
