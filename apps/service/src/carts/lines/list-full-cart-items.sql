-- A cart as list-cart-items.sql shows it, with what an order of each group would cost and what would refuse it now.
with groups as (
  select k.client_id, g.cart_group_id, -- include cart-group-columns.part.sql
    c.exposure, -- include ../../clients/limit-left.part.sql
    , a.stock_id is not null as stock_serving, c.block_reason is not null as contract_blocked, (
      select n.block_reason is not null from clients n where n.client_id = k.client_id
    ) as client_blocked, earliest_shipping_day(s.stock_id) as earliest_date,
    c.price_list_id, c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code, u.minor_digits, u.rate,
    terms_digest(c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code, u.minor_digits, u.rate)
      as terms_digest
  -- include cart-groups.part.sql
  left join client_stocks a on a.client_id = g.client_id and a.stock_id = g.stock_id
  where k.client_id = :client_id and k.cart_id = :cart_id
)
select o.cart_group_id, o.cart_id, o.cart_name, o.virtual, o.advertising, o.stock_id, o.stock_name,
  o.contract_id, o.contract_name, o.contract_default, o.contract_service, o.contract_limit,
  g.lines, g.lines_digest, g.prices_digest, o.terms_digest,
  o.currency_code, o.rate, g.goods, t.discount, t.tax, 0::numeric as shipping, t.total,
  o.tax_mode, o.tax_percent, o.discount_percent, o.earliest_date, o.stock_serving, o.limit_left,
  o.client_blocked, o.contract_blocked,
  o.contract_limit > 0 and o.exposure + t.total > o.contract_limit as over_limit,
  greatest(o.exposure + t.total, t.discount) > :total_max as too_large
from groups o
left join lateral (
  select string_agg(concat_ws(-- include packed-cart-line.part.sql
      -- Packed fields are never null: -1 is any quantity.
      , l.on_sale, l.priced, coalesce(l.available, -1),
      coalesce(l.quantity_min, 1), coalesce(l.quantity_multiple, 1),
      next_quantity(l.quantity, l.quantity_min, l.quantity_multiple),
      net_price(l.price, o.discount_percent, o.minor_digits),
      case when :promise then stock_promise(o.stock_id, l.item_id, l.quantity, null)::text else '' end),
      E'\x1e' order by l.cart_item_id) as lines,
    sum(round(l.price * l.quantity, o.minor_digits)) as goods,
    digest_text(bit_xor(line_hash(l.item_id, l.quantity))) as lines_digest,
    digest_text(bit_xor(price_hash(l.item_id, l.price))) as prices_digest
  from (
    select i.on_sale, i.quantity_min, i.quantity_multiple, p.price is not null as priced,
      case when o.virtual or v.back_order then null else greatest(coalesce(v.on_hand - v.reserved, 0), 0) end
        as available, -- include cart-line-columns.part.sql
    from cart_items l
    join items i on i.item_id = l.item_id
    join brands b on b.brand_id = i.brand_id
    left join prices p on p.price_list_id = o.price_list_id and p.item_id = l.item_id
    left join stock_levels v on v.stock_id = o.stock_id and v.item_id = l.item_id
    where l.client_id = o.client_id and l.cart_group_id = o.cart_group_id
  ) l
) g on true
cross join lateral order_totals(g.goods, o.discount_percent, o.tax_mode, o.tax_percent, o.minor_digits, 0) t
order by o.cart_group_id
