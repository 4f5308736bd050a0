-- A cart, one row for each group with its lines. An empty cart is one row without a group; no such cart, no row.
select g.cart_group_id, -- include cart-group-columns.part.sql
  l.lines, l.lines_digest, l.prices_digest, 
  terms_digest(c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code, u.minor_digits, u.rate) as terms_digest
-- include cart-groups.part.sql
left join lateral (
  select string_agg(concat_ws(-- include packed-cart-line.part.sql
      ), E'\x1e' order by l.cart_item_id) as lines,
    digest_text(bit_xor(line_hash(l.item_id, l.quantity))) as lines_digest,
    digest_text(bit_xor(price_hash(l.item_id, l.price))) as prices_digest
  from (
    select -- include cart-line-columns.part.sql
    from cart_items l
    join items i on i.item_id = l.item_id
    join brands b on b.brand_id = i.brand_id
    left join prices p on p.price_list_id = c.price_list_id and p.item_id = l.item_id
    where l.client_id = g.client_id and l.cart_group_id = g.cart_group_id
  ) l
) l on true
where k.client_id = :client_id and k.cart_id = :cart_id
order by g.cart_group_id
