-- Brands that have items, in the order of their ids. With a name there are few, so these are sorted.
select b.brand_id, b.brand_name
from (
  (select a.brand_id, a.brand_name from brands a where :brand::text is null and a.brand_id > :after_id
     and exists (select 1 from items i where i.brand_id = a.brand_id)
   order by a.brand_id limit :page_size)
  union all
  (select a.brand_id, a.brand_name from brands a
   where article_key(a.brand_name) collate "C" = nullif(article_key(:brand), '') and a.brand_id > :after_id
     and exists (select 1 from items i where i.brand_id = a.brand_id))
) b
order by b.brand_id
limit :page_size
