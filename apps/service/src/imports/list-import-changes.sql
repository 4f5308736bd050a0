select p.batch, p.place, p.change,
  (select i.item_vendor_code from items i where i.item_id = (p.change ->> 'item_id')::bigint) as item_vendor_code,
  (select i.item_title from items i where i.item_id = (p.change ->> 'item_id')::bigint) as item_title
from (
  select b.batch, e.place::integer as place, e.change
  from import_changes b
  cross join lateral jsonb_array_elements(b.changes) with ordinality as e (change, place)
  where b.import_id = :import_id and b.batch >= :after_batch
    and (b.batch, e.place) > (:after_batch, :after_place::integer)
  order by b.batch, e.place
  limit :page_size
) p
order by p.batch, p.place
