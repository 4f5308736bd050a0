select c.batch, e.place::integer as place, e.change
from import_changes c
cross join lateral jsonb_array_elements(c.changes) with ordinality as e (change, place)
where c.import_id = :import_id and c.batch >= :after_batch
  and (c.batch, e.place) > (:after_batch, :after_place::integer)
order by c.batch, e.place
limit :page_size
