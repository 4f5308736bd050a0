-- The brands that a filter names by id, by name or both (named_brands). Several may be written alike.
named_brands as (
  select b.brand_id from brands b where b.brand_id = :brand_id and :brand::text is null
  union all
  select b.brand_id from brands b
  where article_key(b.brand_name) collate "C" = nullif(article_key(:brand), '')
    and b.brand_id = coalesce(:brand_id, b.brand_id)
