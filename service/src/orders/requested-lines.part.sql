-- The lines that an operator requests for a client, each by item_id or article, and by brand if articles are ambiguous.
-- An article as it is written comes before others with the same key (decision 4).
requested as materialized ( -- The item of each line, if there is exactly one.
  select g.place, g.quantity, m.matches, m.item_id
  from unnest(:item_ids::bigint[], :articles::text[], :brands::text[], :quantities::bigint[]) with ordinality
    as g (item_id, article, brand, quantity, place)
  cross join lateral (
    select count(*) as matches, case when count(*) >= :matches_max then null
      when count(*) filter (where n.written) = 1 then min(n.item_id) filter (where n.written)
      when count(*) = 1 then min(n.item_id) end as item_id
    from (
      (select x.item_id, true as written
       from items x
       join brands b on b.brand_id = x.brand_id
       where x.item_id = g.item_id and (g.article is null or article_key(x.item_vendor_code) = article_key(g.article))
         and (g.brand is null or article_key(b.brand_name) = article_key(g.brand)))
      union all
      (select x.item_id, lower(x.item_vendor_code) = lower(g.article)
       from items x
       join brands b on b.brand_id = x.brand_id
       where g.item_id is null and article_key(x.item_vendor_code) collate "C" = nullif(article_key(g.article), '')
         and (g.brand is null or article_key(b.brand_name) = article_key(g.brand))
       order by x.item_id limit :matches_max)
    ) n
  ) m
), matched as materialized ( -- Lines of the same item become one.
  select min(place) as place, item_id, min(matches) as matches, sum(quantity)::integer as quantity
  from requested
  group by item_id, case when item_id is null then place end
