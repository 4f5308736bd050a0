-- Why a cart group cannot be ordered: its lines, with everything that ordering checks.
with group_terms as (
  select g.client_id, g.cart_group_id, g.stock_id, a.stock_id is not null as stock_serving, k.virtual,
    c.contract_id, c.contract_limit, c.exposure, n.block_reason as client_block_reason,
    c.block_reason as contract_block_reason, -- include ../carts/terms.part.sql
  from cart_groups g
  join clients n on n.client_id = g.client_id
  join carts k on k.client_id = g.client_id and k.cart_id = g.cart_id
  join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  left join client_stocks a on a.client_id = g.client_id and a.stock_id = g.stock_id
  where g.client_id = :client_id and g.cart_group_id = :cart_group_id
), lines as (
  select l.item_id, l.quantity, coalesce(p.price, l.last_price) as price, p.price is not null as priced, i.on_sale,
    -- include available.part.sql
  from group_terms o
  join cart_items l on l.client_id = o.client_id and l.cart_group_id = o.cart_group_id
  join items i on i.item_id = l.item_id
  left join prices p on p.price_list_id = o.price_list_id and p.item_id = l.item_id
  left join stock_levels v on v.stock_id = o.stock_id and v.item_id = l.item_id
), sums as (
  select sum(round(l.price * l.quantity, o.minor_digits)) as goods,
    -- include ../carts/cart-group-digests.part.sql
  from group_terms o
  cross join lines l
)
select o.stock_id, o.stock_serving, o.contract_id, o.contract_limit, o.exposure, t.total,
  o.client_block_reason, o.contract_block_reason, :contact_id::bigint is null or exists (
    select 1 from contacts n where n.client_id = o.client_id and n.contact_id = :contact_id) as contact_known,
  o.cart_group_id, g.lines_digest, g.prices_digest, o.terms_digest, o.virtual,
  (select x.order_id from orders x
   join clients n on n.client_id = x.client_id and n.unique_references
   where x.client_id = o.client_id and x.unique_reference = :reference) as referring_order,
  l.item_id, l.quantity, l.price, l.priced, l.on_sale, l.available,
  -- include exceeded-limits.part.sql
from group_terms o
cross join sums g
-- include totals.part.sql
cross join lines l
order by l.item_id
