-- The columns of an item (i) with its brand (b) and product (p). Its prices and levels are one JSON array each: there
-- are few of them.
  i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, b.brand_name, i.product_id,
  p.product_name, i.on_sale,
  coalesce((select jsonb_agg(jsonb_build_object('price_list_id', l.price_list_id, 'price_list_name', l.price_list_name,
    'currency_code', l.currency_code, 'price', c.price)
    order by l.price_list_id) from price_lists l join prices c on c.price_list_id = l.price_list_id
      and c.item_id = i.item_id), '[]') as prices,
  coalesce((select jsonb_agg(jsonb_build_object('stock_id', k.stock_id, 'stock_name', k.stock_name, 'on_hand',
    s.on_hand, 'reserved', s.reserved, 'back_order', s.back_order)
    order by k.stock_id) from stocks k join stock_levels s on s.stock_id = k.stock_id and s.item_id = i.item_id),
      '[]') as stock_levels
