-- Places an order of the requested lines for a client, by an operator, completely or not at all.
-- Lock order: contract, stock levels by item, client. The order is new, so nothing waits for it.
with -- include requested-lines.part.sql
), shown as materialized ( -- The terms of the contract.
  select c.client_id, w.stock_id, w.stock_name, c.contract_id, '' as advertising, false as virtual, true as as_shown,
    n.unique_references,
    -- include ../carts/terms.part.sql
  from clients n
  join client_stocks a on a.client_id = n.client_id and a.stock_id = :stock_id
  join stocks w on w.stock_id = a.stock_id
  join contracts c on c.client_id = n.client_id and c.contract_id = coalesce(:contract_id, (
    select d.contract_id from contracts d where d.client_id = :client_id and d.contract_default))
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where n.client_id = :client_id and n.block_reason is null
), lines as materialized ( -- The lines that can be sold, by item: stock levels are locked in this order. One that
                           -- cannot be sold is missing here, and the counts differ.
  select l.place, l.item_id, l.quantity, p.price, round(p.price * l.quantity, s.minor_digits) as amount,
    i.product_id, d.product_name, i.brand_id, b.brand_name, i.item_vendor_code, i.item_barcode, i.item_title
  from shown s
  cross join matched l
  join items i on i.item_id = l.item_id and i.on_sale
  join products d on d.product_id = i.product_id
  join brands b on b.brand_id = i.brand_id
  join prices p on p.price_list_id = s.price_list_id and p.item_id = l.item_id
  where l.quantity <= :quantity_max
  order by l.item_id
), sums as (
  select count(*) as line_count, sum(l.amount) as goods,
    -- include ../carts/cart-group-digests.part.sql
  from lines l
), terms as materialized ( -- A group that was never in a cart: each order belongs to one.
  select o.*, g.line_count, g.goods, y.discount, z.tax, t.total,
    nextval('cart_groups_cart_group_id_seq') as cart_group_id,
    g.lines_digest || g.prices_digest || o.terms_digest as fingerprint
  from shown o
  cross join sums g
  -- include totals.part.sql
  where g.line_count = (select count(*) from matched)
    and t.total = coalesce(:expected_total, t.total)
), exposed as (            -- The constraint contract_limit_exceeded can refuse the whole statement.
  update contracts c set exposure = c.exposure + x.rise
  from terms t, lateral (select t.total as rise) x
  where c.client_id = t.client_id and c.contract_id = t.contract_id
  returning -- include allowed-order.part.sql
    -- include contract-raised.part.sql
), -- include placed-order.part.sql
), answered as (
  select o.client_id, o.order_id as created_order_id, o.order_number, o.order_contact_id, t.stock_id, t.contract_id,
    t.currency_code, t.goods, t.discount as order_discount, t.tax as order_tax, t.order_shipping,
    t.total as order_total, case when x.contract_limit > 0 then x.contract_limit - x.exposure end as limit_left_after, (
      select jsonb_agg(jsonb_build_object('item_id', l.item_id, 'item_vendor_code', l.item_vendor_code,
        'item_title', l.item_title, 'brand_name', l.brand_name, 'quantity', l.quantity, 'price', l.price,
        'amount', l.amount) order by l.place)
      from lines l
    ) as lines
  from placed o, terms t, exposed x
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'order-for-client', :idempotency_key, :retry_digest, row_to_json(answered)
  from answered
  where :idempotency_key::text is not null
)
select client_id, created_order_id, order_number, order_contact_id, stock_id, contract_id, currency_code, goods,
  order_discount, order_tax, order_shipping, order_total, limit_left_after, lines
from answered
