-- The items that a line may mean. If it names none, or several: those beside its article in the alphabet that begin
-- like it, the most alike first. If it names one that cannot be ordered: its successor and its substitutes.
create or replace function near_items(item bigint, article text, shown_max bigint)
  returns table (place bigint, item_id bigint) rows 5 stable language plpgsql as $$
declare
  key text := article_key(article) collate "C";
begin
  if item is not null then
    return query
      select row_number() over (order by s.place), s.substitute_id
      from item_substitutes s
      join items i on i.item_id = s.substitute_id and i.on_sale
      where s.item_id = item;
    return;
  end if;
  return query
    select row_number() over (order by l.alike desc, n.item_id), n.item_id
    from (
      (select i.item_id, article_key(i.item_vendor_code) as near_key, i.on_sale from items i
       where article_key(i.item_vendor_code) collate "C" >= key
       order by article_key(i.item_vendor_code) collate "C", i.item_id limit shown_max)
      union all
      (select i.item_id, article_key(i.item_vendor_code), i.on_sale from items i
       where article_key(i.item_vendor_code) collate "C" < key
       order by article_key(i.item_vendor_code) collate "C" desc, i.item_id desc limit shown_max)
    ) n
    cross join lateral (
      select count(*) as alike from generate_series(1, length(key)) g where left(n.near_key, g) = left(key, g)
    ) l
    where n.on_sale and l.alike >= least(3, length(key)) and l.alike > 0
    order by 1 limit shown_max;
end $$;
