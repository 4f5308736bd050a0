-- The columns of an item (i) with its brand (b) and product (p). Its prices and levels are one JSON array each: there
-- are few of them.
  i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, b.brand_name, i.product_id,
  p.product_name, i.on_sale, coalesce(i.quantity_min, 1) as quantity_min,
  coalesce(i.quantity_multiple, 1) as quantity_multiple, stand_ins_of(i.item_id) as named_substitutes,
  coalesce((select jsonb_agg(jsonb_build_object('price_list_id', r.price_list_id, 'price_list_name', r.price_list_name,
    'currency_code', r.currency_code, 'price', c.price,
    'price_breaks', shown_breaks(c.break_quantities, c.break_prices))
    order by r.price_list_id) from price_lists r join prices c on c.price_list_id = r.price_list_id
      and c.item_id = i.item_id), '[]') as prices,
  coalesce((select jsonb_agg(jsonb_build_object('stock_id', s.stock_id, 'stock_name', s.stock_name, 'on_hand',
    l.on_hand, 'reserved', l.reserved, 'back_order', l.back_order)
    order by s.stock_id) from stocks s join stock_levels l on l.stock_id = s.stock_id and l.item_id = i.item_id),
      '[]') as stock_levels, coalesce(i.metadata, '{}') as metadata
