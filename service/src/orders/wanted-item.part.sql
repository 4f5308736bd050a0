-- The item (w) that :item_id or :article names, if there is exactly one. An article as it is written comes before
-- others with the same key (decision 4).
cross join lateral (
  select count(*) as matches, case when count(*) >= :matches_max then null
    when count(*) filter (where n.written) = 1 then min(n.item_id) filter (where n.written)
    when count(*) = 1 then min(n.item_id) end as item_id
  from (
    (select x.item_id, true as written from items x
     where x.item_id = :item_id::bigint
       and (:article::text is null or article_key(x.item_vendor_code) = article_key(:article)))
    union all
    (select x.item_id, lower(x.item_vendor_code) = lower(:article) from items x
     where :item_id::bigint is null and article_key(x.item_vendor_code) collate "C" = nullif(article_key(:article), '')
     order by x.item_id limit :matches_max)
  ) n
) w
