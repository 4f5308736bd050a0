-- A page of what a reader of the catalogue has to change in its copy: of a full pass, the items behind :item_id in the
-- order of their ids; afterwards those that have changed since :position, in the order of the changes. A full pass
-- begins where the reader's state is of no use: at first, after a change of the terms under which the client buys or of
-- the stocks that serve it, and after a restore. An item without a price here is not offered any more.
with terms as (            -- The contract's price list; no row if the client has no such contract.
  select c.tax_mode, c.discount_percent, r.price_list_id, r.currency_code, u.minor_digits,
    offer_digest(c, :included) as terms_digest
  from contracts c
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where c.client_id = :client_id
    and (c.contract_id = :contract_id or (:contract_id::bigint is null and c.contract_default))
), state as (
  select f.generation, f.position as newest, v.valid is not true or :full::boolean as full,
    case when v.valid then :position::bigint else f.position end as position,
    case when v.valid then :item_id::bigint else 0 end as item_id
  from item_feed f, terms t
  cross join lateral (
    select :generation::integer = f.generation and :terms_digest::text = t.terms_digest
      and :position::bigint <= f.position as valid
  ) v
), candidates as (
  (select s.position, p.item_id
   from state s
   cross join lateral (
     select p.item_id from prices p
     where p.price_list_id = (select price_list_id from terms) and p.item_id > s.item_id
     order by p.item_id limit :page_size
   ) p
   where s.full)
  union all
  (select c.position, c.item_id
   from state s
   cross join lateral (
     select 'i'::"char" as kind, 0::bigint as of_id union all select 'p', price_list_id from terms union all
     select 's', k.stock_id from client_stocks k where k.client_id = :client_id
   ) w
   cross join lateral (
     select c.position, c.item_id from item_changes c
     where c.kind = w.kind and c.of_id = w.of_id and (c.position, c.item_id) > (s.position, s.item_id)
     order by c.position, c.item_id limit :page_size
   ) c
   where not s.full)
), page as materialized (
  select distinct position, item_id from candidates order by position, item_id limit :page_size
), item as (
  select p.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.quantity_min,
    i.quantity_multiple, i.price, i.break_quantities, i.break_prices
  from (select distinct item_id from page) p
  left join lateral (
    select i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.quantity_min,
      i.quantity_multiple, r.price, r.break_quantities, r.break_prices
    from items i
    join prices r on r.price_list_id = (select price_list_id from terms) and r.item_id = i.item_id
    where i.item_id = p.item_id and i.on_sale
  ) i on true
)
select s.generation, s.newest, s.full, s.position, s.item_id as after_item, t.terms_digest, l.seen, l.last_position,
  l.last_item, i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, b.brand_name, i.price,
  t.currency_code, t.tax_mode, t.discount_percent,
  case when :net then net_price(i.price, t.discount_percent, t.minor_digits) end as net_price,
  i.quantity_min, i.quantity_multiple, case when :breaks then
    net_breaks(i.break_quantities, i.break_prices, t.discount_percent, t.minor_digits) end as price_breaks,
  k.stock_id, k.stock_name, k.available, k.back_order,
  null::json as promise, null::json as offered_substitutes
from terms t
cross join state s
cross join (
  select count(*) as seen, (array_agg(position order by position desc, item_id desc))[1] as last_position,
    (array_agg(item_id order by position desc, item_id desc))[1] as last_item
  from page
) l
left join item i on true
left join brands b on b.brand_id = i.brand_id
left join lateral (
  select c.stock_id, n.stock_name, greatest(l.on_hand - l.reserved, 0) as available, l.back_order
  from client_stocks c
  join stocks n on n.stock_id = c.stock_id
  join stock_levels l on l.stock_id = c.stock_id and l.item_id = i.item_id
  where c.client_id = :client_id and i.price is not null
) k on true
order by i.item_id, k.stock_id
