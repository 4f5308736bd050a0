-- The item that a line names by its id or its article, and by brand if articles are ambiguous: null unless there is
-- exactly one. An article as it is written comes before others with the same key (decision 7).
create or replace function find_item(item bigint, article text, brand text, matches_max bigint)
  returns table (matches bigint, item_id bigint) rows 1 stable language sql as $$
  select count(*), case when count(*) >= matches_max then null
    when count(*) filter (where n.written) = 1 then min(n.item_id) filter (where n.written)
    when count(*) = 1 then min(n.item_id) end
  from (
    (select x.item_id, true as written
     from items x
     join brands b on b.brand_id = x.brand_id
     where x.item_id = item and (article is null or article_key(x.item_vendor_code) = article_key(article))
       and (brand is null or article_key(b.brand_name) = article_key(brand)))
    union all
    (select x.item_id, lower(x.item_vendor_code) = lower(article)
     from items x
     join brands b on b.brand_id = x.brand_id
     where item is null and article_key(x.item_vendor_code) collate "C" = nullif(article_key(article), '')
       and (brand is null or article_key(b.brand_name) = article_key(brand))
     order by x.item_id limit matches_max)
  ) n
$$;
