-- The item that each article names, if there is exactly one, of this brand if one is named. An article as it is written
-- comes before others with the same key (decision 7).
select g.place, w.matches, w.item_id
from unnest(:articles::text[], :brands::text[]) with ordinality as g (article, brand, place)
cross join lateral (
  select count(*) as matches, case
    when count(*) filter (where n.written) = 1 then min(n.item_id) filter (where n.written)
    when count(*) = 1 then min(n.item_id) end as item_id
  from (
    select i.item_id, lower(i.item_vendor_code) = lower(g.article) as written
    from items i
    join brands b on b.brand_id = i.brand_id
    where article_key(i.item_vendor_code) collate "C" = nullif(article_key(g.article), '')
      and (g.brand is null or article_key(b.brand_name) = article_key(g.brand))
    order by i.item_id
    limit 50
  ) n
) w
order by g.place
