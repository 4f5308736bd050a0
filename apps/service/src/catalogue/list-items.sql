-- A page of what the client can order, in item order, with the price under one contract and the availability in each
-- stock. A page examines at most :scan_max items of an index, so that a search costs the same in every catalogue: a
-- page may be short or empty and still have a next one. Exactly one of the ways to find candidates runs (for a search,
-- two) and walks one index in item order: its key is a scalar, since a join would sort all rows of the word, stock or
-- price list first.
with terms as (            -- The contract's price list; no row if the client has no such contract.
  select c.contract_id, c.tax_mode, c.discount_percent, r.price_list_id, r.currency_code, u.minor_digits
  from contracts c
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where c.client_id = :client_id
    and (c.contract_id = :contract_id or (:contract_id is null and c.contract_default))
), asked as (              -- The articles looked up. Two that have the same key are one.
  select distinct on (key) article, article_key(article) collate "C" as key
  from unnest(:articles::text[]) with ordinality as a (article, place)
  order by key, place
), -- include named-brands.part.sql
), -- include item-search.part.sql
), others as (             -- The candidates of a search already have the rarest word.
  select word from words offset case when :articles::text[] is null then 1 else 0 end
), candidates as (
  (select item_id, true as begins, null::text as article from articled
   where :articles::text[] is null and item_id > :after_id)
  union all
  (select w.item_id, false, null from item_words w
   where :words::text[] is not null and :articles::text[] is null
     and w.word = (select word from words limit 1) and w.item_id > :after_id
     and w.item_id not in (select item_id from articled)
   order by w.item_id limit :scan_max)
  union all
  (select i.item_id, false, a.article from asked a
   cross join lateral (
     select i.item_id from items i
     where a.key <> '' and article_key(i.item_vendor_code) collate "C" = a.key and i.item_id > :after_id
     order by i.item_id limit :matches_max
   ) i
   order by i.item_id limit :scan_max)
  union all
  (select i.item_id, false, null from named_brands b
   cross join lateral (
     select i.item_id from items i
     where i.brand_id = b.brand_id and i.item_id > :after_id
     order by i.item_id limit :scan_max
   ) i
   where :articles::text[] is null and :words::text[] is null
   order by i.item_id limit :scan_max)
  union all
  (select l.item_id, false, null from stock_levels l
   where :articles::text[] is null and :words::text[] is null and not :of_brand
     and :stock_id::bigint is not null
     and l.stock_id = (select k.stock_id from client_stocks k where k.client_id = :client_id and k.stock_id = :stock_id)
     and l.item_id > :after_id
   order by l.item_id limit :scan_max)
  union all
  (select p.item_id, false, null from prices p
   where :articles::text[] is null and :words::text[] is null and not :of_brand
     and :stock_id::bigint is null
     and p.price_list_id = (select price_list_id from terms) and p.item_id > :after_id
   order by p.item_id limit :scan_max)
), scanned as (            -- The last item examined, and whether there are more behind it.
  select coalesce(max(item_id) filter (where not begins), :after_id) as last_id,
    count(*) filter (where not begins) = :scan_max as more
  from candidates
), page as (               -- Sorted before the lookups, so that candidates behind a full page are not looked up.
  select c.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.quantity_min, i.quantity_multiple,
    p.price, p.break_quantities, p.break_prices, c.article
  from (select item_id, begins, article from candidates order by item_id) c
  cross join lateral (
    select i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.quantity_min, i.quantity_multiple
    from items i
    where i.item_id = c.item_id and i.on_sale
      and (not :of_brand or i.brand_id in (select brand_id from named_brands))
  ) i
  cross join lateral (
    select p.price, p.break_quantities, p.break_prices from prices p
    where p.price_list_id = (select price_list_id from terms) and p.item_id = c.item_id
  ) p
  -- An article behind the last item examined is left to the page that continues there.
  where (not (select more from scanned) or c.item_id <= (select last_id from scanned))
    and (:stock_id::bigint is null or exists (
      select 1 from client_stocks k join stock_levels l on l.stock_id = k.stock_id and l.item_id = c.item_id
      where k.client_id = :client_id and k.stock_id = :stock_id))
    and (c.begins or not exists (
      select 1 from others w
      where not exists (select 1 from item_words x where x.word = w.word and x.item_id = c.item_id)))
  order by c.item_id
  limit :page_size
)
select s.last_id, s.more, i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, b.brand_name,
  i.price, t.currency_code, t.tax_mode, t.discount_percent,
  case when :net then net_price(i.price, t.discount_percent, t.minor_digits) end as net_price,
  coalesce(i.quantity_min, 1) as quantity_min, coalesce(i.quantity_multiple, 1) as quantity_multiple,
  case when :breaks then
    net_breaks(i.break_quantities, i.break_prices, t.discount_percent, t.minor_digits) end as price_breaks,
  i.article as matched_article,
  k.stock_id, k.stock_name, k.available, k.back_order,
  case when :promised::bigint is not null and k.stock_id is not null
    then stock_promise(k.stock_id, i.item_id, :promised, null) end as promise,
  q.offered_substitutes
from terms t
cross join scanned s
left join page i on true
left join brands b on b.brand_id = i.brand_id
left join lateral (
  select offered_substitutes(:client_id, t.price_list_id, i.item_id) as offered_substitutes
  where :substitutes and i.item_id is not null
  offset 0 -- lookup fence
) q on true
left join lateral (
  select c.stock_id, n.stock_name, greatest(l.on_hand - l.reserved, 0) as available, l.back_order
  from client_stocks c
  join stocks n on n.stock_id = c.stock_id
  join stock_levels l on l.stock_id = c.stock_id and l.item_id = i.item_id
  where c.client_id = :client_id
) k on true
order by i.item_id, k.stock_id
