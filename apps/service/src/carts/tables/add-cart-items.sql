-- Adds many rows to a cart. Each row names its item by id, article or barcode, or by several of them, which must agree;
-- its brand, if it has one, must be that of the item.
-- Returns one row per row given, with the item or the reason for which it is refused; no row if there is no such cart.
with cart as materialized (
  select client_id, cart_id, line_count from carts where client_id = :client_id and cart_id = :cart_id
), named as materialized (  -- The item, if there is exactly one. A row that could not be read has no quantity.
  select g.place, g.quantity::integer as quantity, g.stock_id, g.advertising, coalesce(g.contract_id, (
      select d.contract_id from contracts d where d.client_id = :client_id and d.contract_default)) as contract_id,
    m.item_id, m.matches, m.candidates
  from cart k
  cross join unnest(:item_ids::bigint[], :articles::text[], :brands::text[], :barcodes::text[],
    :barcode_words::text[], :quantities::bigint[], :stock_ids::bigint[], :contract_ids::bigint[],
    :advertisings::text[]) with ordinality
    as g (item_id, article, brand, barcode, barcode_word, quantity, stock_id, contract_id, advertising, place)
  cross join lateral (     -- An article as it is written comes before others with the same key. See decision 7.
    select count(*) filter (where i.branded) as matches,
      (array_agg(i.item_id order by i.branded desc, i.on_sale desc, i.item_id))[1:3] as candidates,
      case when count(*) >= :matches_max then null
        when count(*) filter (where i.branded and i.written) = 1
          then min(i.item_id) filter (where i.branded and i.written)
        when count(*) filter (where i.branded) = 1 then min(i.item_id) filter (where i.branded)
      end as item_id
    from (
      (select g.item_id where g.item_id is not null)
      union all
      (select w.item_id from item_words w
       where g.item_id is null and w.word = lower(g.barcode_word)
       order by w.item_id limit :barcode_scan_max)
      union all
      (select i.item_id from items i
       where g.item_id is null and g.barcode is null
         and article_key(i.item_vendor_code) collate "C" = nullif(article_key(g.article), '')
       order by i.item_id limit :matches_max)
    ) n
    cross join lateral (
      select i.item_id, i.on_sale, coalesce(lower(i.item_vendor_code) = lower(g.article), true) as written,
        g.brand is null or article_key(g.brand) = (
          select article_key(b.brand_name) from brands b where b.brand_id = i.brand_id) as branded
      from items i
      where i.item_id = n.item_id
        and (g.article is null or article_key(i.item_vendor_code) = article_key(g.article))
        and (g.barcode is null or i.item_barcode = g.barcode)
    ) i
  ) m
), matched as materialized ( -- A row without a stock takes the first preferred one that has all pieces of its line.
  select n.place, n.quantity, coalesce(n.stock_id, c.stock_id) as stock_id, n.contract_id, n.advertising,
    null::numeric as ordered_price, n.item_id, n.matches, n.candidates
  from (
    select n.*, sum(n.quantity) filter (where n.stock_id is null)
      over (partition by n.item_id, n.contract_id, n.advertising) as wanted
    from named n
  ) n
  left join lateral (
    select a.stock_id
    from client_stocks a
    left join stock_levels l on l.stock_id = a.stock_id and l.item_id = n.item_id
    left join cart_groups g on g.client_id = :client_id and g.cart_id = :cart_id and g.stock_id = a.stock_id
      and g.contract_id = n.contract_id and g.advertising = n.advertising
    left join cart_items x on x.client_id = g.client_id and x.cart_group_id = g.cart_group_id
      and x.item_id = n.item_id
    where n.stock_id is null and n.item_id is not null and n.quantity is not null and a.client_id = :client_id
    order by coalesce(l.on_hand - l.reserved, 0) >= n.wanted + coalesce(x.quantity, 0) desc, a.preference, a.stock_id
    limit 1
  ) c on true
), -- include add-rows.part.sql
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select client_id, 'add-cart-items', :idempotency_key, :request_digest,
    json_build_object('rows', (select json_agg(s order by s.place) from shown s))
  from ruled
  where adding and :idempotency_key::text is not null
)
select place, refused, quantity, item_id, item_vendor_code, item_barcode, item_title, brand_id, brand_name,
  stock_id, contract_id, price, available, back_order, first_place, in_cart, line_quantity, cart_item_id, cart_quantity,
  quantity_min, quantity_multiple, next_quantity, unsold, candidates
from shown
order by place
