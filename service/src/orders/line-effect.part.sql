-- The effect of a change of a line: `lineChangeColumns` in line-change.ts.
order_id, order_number, order_item_id, item_id, item_vendor_code, item_title, order_item_price, quantity_before,
  quantity_after, state_before, state_after, total_before, total_after, tax_before, tax_after, discount_before,
  discount_after, stock_id, available_after, contract_id, limit_left_after, closed_adjustment_id
from effect
