-- The columns of a line (l), its current price (p), its item (i) and brand (b): `cartItemColumns` in cart-item.ts.
l.cart_item_id, l.quantity,
  coalesce(price_at(p.price, p.break_quantities, p.break_prices, l.quantity), l.last_price) as price,
  i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, b.brand_id, b.brand_name
