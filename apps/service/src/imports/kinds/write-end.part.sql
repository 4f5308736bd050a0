recorded as (
  insert into import_changes (import_id, batch, changes)
  select t.import_id, :batch::integer, jsonb_agg(to_jsonb(w)) from written w, turn t
  where w.before is distinct from w.after
  group by t.import_id
)
update import_batches b set done_in = 'applying',
  rows_added = (select count(*) from written w where w.before is null and w.after is not null),
  rows_changed = (select count(*) from written w where w.before <> w.after or w.after is null and w.before is not null)
from turn t
where b.import_id = :import_id and b.batch = :batch and b.import_id = t.import_id
returning b.batch
