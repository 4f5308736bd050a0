select b.batch, e.place::integer as place, e.change
from import_changes b
cross join lateral jsonb_array_elements(b.changes) with ordinality as e (change, place)
where b.import_id = :import_id and b.batch >= :after_batch
  and (b.batch, e.place) > (:after_batch, :after_place::integer)
order by b.batch, e.place
limit :page_size
