-- What lines would cost a client now, and whether each could be ordered, as order_for_client.sql judges them. One row;
-- none if the client has no such contract. Totals are those of the lines without an error.
with terms as (
  select c.contract_id, c.contract_limit, c.exposure, c.discount_percent, c.tax_mode, c.tax_percent, r.price_list_id,
    r.currency_code, u.minor_digits
  from contracts c
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where c.client_id = :client_id
    and (c.contract_id = :contract_id or (:contract_id is null and c.contract_default))
), requested as (
  select g.place, g.item_id as named, g.article, g.brand, g.quantity, m.matches, m.item_id
  from unnest(:item_ids::bigint[], :articles::text[], :brands::text[], :quantities::bigint[]) with ordinality
    as g (item_id, article, brand, quantity, place)
  cross join lateral find_item(g.item_id, g.article, g.brand, :matches_max) m
), lines as (              -- Lines of the same item are one.
  select array_agg(place order by place) as places, item_id, min(matches) as matches,
    sum(quantity)::integer as quantity, (array_agg(article order by place))[1] as article,
    (array_agg(json_strip_nulls(json_build_object('article', article, 'brand', brand, 'item_id', named))
      order by place))[1] as named_by
  from requested
  group by item_id, case when item_id is null then place end
), priced as (
  select l.*, i.item_vendor_code, i.item_title, i.on_sale, i.quantity_min, i.quantity_multiple, b.brand_name, c.price,
    net_price(c.price, t.discount_percent, t.minor_digits) as net_price,
    round(c.price * l.quantity, t.minor_digits) as amount, coalesce(v.available, 0) as available, v.back_order
  from terms t
  cross join lines l
  left join items i on i.item_id = l.item_id
  left join brands b on b.brand_id = i.brand_id
  left join prices p on p.price_list_id = t.price_list_id and p.item_id = l.item_id
  cross join lateral (select price_at(p.price, p.break_quantities, p.break_prices, l.quantity) as price) c
  left join lateral (
    select greatest(v.on_hand - v.reserved, 0) as available, v.back_order
    from client_stocks k
    join stock_levels v on v.stock_id = k.stock_id and v.item_id = l.item_id
    where k.client_id = :client_id and k.stock_id = :stock_id
  ) v on true
), judged as (
  select p.*, case
    when p.item_id is null then
      refusal_error(case when p.matches > 1 then 'article_ambiguous' else 'article_not_found' end, p.named_by)
    when not p.on_sale then refusal_error('item_not_on_sale', json_build_object('item_id', p.item_id))
    when p.price is null then refusal_error('item_not_priced',
      json_build_object('item_id', p.item_id, 'contract_id', t.contract_id))
    when p.quantity > :quantity_max then refusal_error('line_quantity_exceeded',
      json_build_object('item_id', p.item_id, 'in_cart', 0, 'requested', p.quantity, 'limit', :quantity_max))
    when next_quantity(p.quantity, p.quantity_min, p.quantity_multiple) <> p.quantity then
      quantity_error(p.item_id, p.quantity, p.quantity_min, p.quantity_multiple)
    when p.back_order is not true and p.quantity > p.available then refusal_error('out_of_stock', json_build_object(
      'item_id', p.item_id, 'stock_id', :stock_id, 'available', p.available, 'requested', p.quantity))
    end as error
  from priced p
  cross join terms t
), quoted as (
  select coalesce(sum(j.amount) filter (where j.error is null), 0) as goods,
    json_agg(json_build_object('places', j.places, 'item_id', j.item_id, 'item_vendor_code', j.item_vendor_code,
      'item_title', j.item_title, 'brand_name', j.brand_name, 'quantity', j.quantity, 'price', j.price,
      'net_price', j.net_price, 'amount', j.amount,
      'quantity_min', coalesce(j.quantity_min, 1), 'quantity_multiple', coalesce(j.quantity_multiple, 1),
      'availability', a.stocks, 'error', j.error, 'near', n.near) order by j.places[1]) as lines
  from judged j
  cross join lateral (
    select coalesce(json_agg(json_build_object('stock_id', s.stock_id, 'stock_name', s.stock_name,
      'available', greatest(v.on_hand - v.reserved, 0), 'back_order', v.back_order, 'earliest_shipping_date',
      stock_promise(s.stock_id, j.item_id, j.quantity, null) ->> 'earliest_shipping_date') order by s.stock_id), '[]')
      as stocks
    from client_stocks k
    join stocks s on s.stock_id = k.stock_id
    join stock_levels v on v.stock_id = k.stock_id and v.item_id = j.item_id
    where k.client_id = :client_id
  ) a
  cross join lateral (
    select coalesce(json_agg(json_build_object('item_id', i.item_id, 'item_vendor_code', i.item_vendor_code,
      'item_title', i.item_title, 'brand_name', b.brand_name) order by m.place), '[]') as near
    from near_items(j.item_id, j.article, :near_max) m
    join items i on i.item_id = m.item_id
    join brands b on b.brand_id = i.brand_id
    where j.error is not null
  ) n
)
select t.contract_id, t.currency_code, q.lines, q.goods, s.discount as order_discount, s.tax as order_tax,
  s.total as order_total, case when t.contract_limit > 0 then t.contract_limit end as contract_limit,
  case when t.contract_limit > 0 then t.contract_limit - t.exposure - s.total end as limit_left_after
from terms t
cross join quoted q
cross join lateral order_totals(q.goods, t.discount_percent, t.tax_mode, t.tax_percent, t.minor_digits, 0) s
