-- What a client can order in place of an item, with the prices of a list: `OfferedSubstitutes` in list-items.ts.
create or replace function offered_substitutes(client bigint, price_list bigint, item bigint) returns json
  stable language plpgsql as $$
begin
  return (
    select json_build_object('replaced_by', (array_agg(o.offer) filter (where o.place = 0))[1],
      'substitutes', coalesce(json_agg(o.offer order by o.place) filter (where o.place > 0), '[]'))
    from (
      select s.place, json_build_object('item_id', i.item_id, 'item_vendor_code', i.item_vendor_code,
        'item_barcode', i.item_barcode, 'item_title', i.item_title,
        'brand', json_build_object('brand_id', i.brand_id, 'brand_name', b.brand_name), 'price', p.price,
        'availability', coalesce((
          select json_agg(json_build_object('stock_id', k.stock_id, 'stock_name', k.stock_name,
            'available', greatest(l.on_hand - l.reserved, 0), 'back_order', l.back_order) order by k.stock_id)
          from client_stocks a
          join stocks k on k.stock_id = a.stock_id
          join stock_levels l on l.stock_id = a.stock_id and l.item_id = i.item_id
          where a.client_id = client), '[]')) as offer
      from item_substitutes s
      join items i on i.item_id = s.substitute_id and i.on_sale
      join brands b on b.brand_id = i.brand_id
      join prices p on p.price_list_id = price_list and p.item_id = i.item_id
      where s.item_id = item
    ) o);
end $$;
