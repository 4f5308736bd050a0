insert into item_words (word, item_id)
select distinct word, i.item_id
from items i
cross join lateral (
  select lower(i.item_vendor_code) as word
  union all
  select i.item_barcode
  union all
  select regexp_split_to_table(lower(i.item_title), '[^a-z0-9]+')
) w
where i.item_id between :from and :to and word <> ''
