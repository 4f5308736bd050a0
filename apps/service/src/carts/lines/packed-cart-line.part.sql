-- A line (l) as `packedRows` reads it: `cartItemColumns` in their order.
E'\x1f', l.cart_item_id, l.quantity, l.price, l.item_id, l.item_vendor_code, l.item_barcode, l.item_title, l.brand_id,
  l.brand_name
