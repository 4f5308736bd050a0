-- A page of the catalogue, in item order. As in list-items.sql, exactly one way to find candidates runs (:way; for a
-- search, two branches), a page examines at most :scan_max items, and the remaining filters are tested on each.
with -- include named-brands.part.sql
), -- include item-search.part.sql
), others as (             -- The candidates of a search already have the rarest word.
  select word from words offset 1
), candidates as (
  (select item_id, true as begins from articled where item_id > :after_id)
  union all
  (select w.item_id, false from item_words w
   where :way = 'search' and w.word = (select word from words limit 1) and w.item_id > :after_id
     and w.item_id not in (select item_id from articled)
   order by w.item_id limit :scan_max)
  union all
  (select i.item_id, false from named_brands b
   cross join lateral (
     select i.item_id from items i
     where i.brand_id = b.brand_id and i.item_id > :after_id
     order by i.item_id limit :scan_max
   ) i
   where :way = 'brand'
   order by i.item_id limit :scan_max)
  union all
  (select distinct l.item_id, false from stock_levels l
   where :way = 'short' and (l.back_order or l.shortage > 0) and l.item_id > :after_id
   order by l.item_id limit :scan_max)
  union all
  (select i.item_id, false from items i
   where :way = 'all' and i.item_id > :after_id
   order by i.item_id limit :scan_max)
), scanned as (            -- The last item examined, and whether there are more behind it.
  select coalesce(max(item_id) filter (where not begins), :after_id) as last_id,
    count(*) filter (where not begins) = :scan_max as more
  from candidates
), page as (               -- Sorted before the lookups, so that candidates behind a full page are not looked up.
  (select c.item_id, true as found
   from (select item_id, begins from candidates order by item_id) c
   -- An article behind the last item examined is left to the page that continues there.
   where (not (select more from scanned) or c.item_id <= (select last_id from scanned))
     and (not :of_brand or exists (
       select 1 from items i
       where i.item_id = c.item_id and i.brand_id in (select brand_id from named_brands)))
     and (:missing_price::bigint is null or not exists (
       select 1 from prices p where p.price_list_id = :missing_price and p.item_id = c.item_id))
     and (not :short or exists (
       select 1 from stocks k
       join stock_levels l on l.stock_id = k.stock_id and l.item_id = c.item_id
       where l.reserved > l.on_hand))
     and (c.begins or not exists (
       select 1 from others w
       where not exists (select 1 from item_words x where x.word = w.word and x.item_id = c.item_id)))
   order by c.item_id
   limit :page_size)
  union all
  (select last_id, false from scanned where more) -- There may be more items after it.
)
select g.found,
  -- include operator-item-columns.part.sql
from page g
cross join lateral (select * from items i where i.item_id = g.item_id) i
join brands b on b.brand_id = i.brand_id
cross join lateral (select p.product_name from products p where p.product_id = i.product_id) p
order by i.item_id, g.found desc
