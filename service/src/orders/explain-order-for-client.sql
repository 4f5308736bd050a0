-- What an order for a client would cost, or why it cannot be placed: its lines, with everything that ordering checks.
-- What the request names and nobody has is null; no row without the client.
with -- include requested-lines.part.sql
), named as (
  select n.client_id, n.block_reason as client_block_reason, p.contact_id, w.stock_id,
    a.stock_id is not null as stock_serving, c.contract_id, c.contract_limit, c.exposure,
    c.block_reason as contract_block_reason, false as virtual, -- include ../carts/terms.part.sql
  from clients n
  left join contacts p on p.client_id = n.client_id and p.contact_id = coalesce(:contact_id, (
    -- include first-contact.part.sql
  ))
  left join stocks w on w.stock_id = :stock_id
  left join client_stocks a on a.client_id = n.client_id and a.stock_id = w.stock_id
  left join contracts c on c.client_id = n.client_id and c.contract_id = coalesce(:contract_id, (
    select d.contract_id from contracts d where d.client_id = :client_id and d.contract_default))
  left join price_lists r on r.price_list_id = c.price_list_id
  left join currencies u on u.currency_code = r.currency_code
  where n.client_id = :client_id
), lines as (
  select m.place, m.matches, m.item_id, m.quantity, i.on_sale, i.item_vendor_code, i.item_title, b.brand_name, p.price,
    round(p.price * m.quantity, o.minor_digits) as amount, -- include available.part.sql
  from named o
  cross join matched m
  left join items i on i.item_id = m.item_id
  left join brands b on b.brand_id = i.brand_id
  left join prices p on p.price_list_id = o.price_list_id and p.item_id = m.item_id
  left join stock_levels v on v.stock_id = o.stock_id and v.item_id = m.item_id
), sums as (
  select sum(l.amount) as goods from lines l
)
select o.client_id, o.client_block_reason, o.contact_id, o.stock_id, o.stock_serving, o.contract_id, o.contract_limit,
  o.exposure, o.contract_block_reason, o.currency_code, o.order_shipping, g.goods, y.discount, z.tax, t.total,
  case when o.contract_limit > 0 then o.contract_limit - o.exposure - t.total end as limit_left_after,
  (select x.order_id from orders x
   join clients n on n.client_id = x.client_id and n.unique_references
   where x.client_id = o.client_id and x.unique_reference = :reference) as referring_order,
  l.place, l.matches, l.item_id, l.quantity, l.on_sale, l.item_vendor_code, l.item_title, l.brand_name, l.price,
  l.amount, l.available, t.total = :expected_total as expected,
  -- include exceeded-limits.part.sql
from named o
cross join sums g
-- include totals.part.sql
cross join lines l
order by l.place
