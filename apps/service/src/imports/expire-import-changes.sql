-- What imports changed so long ago that they can no longer be undone.
delete from import_changes c
using (
  select import_id, batch from import_changes
  where created_at < now() - make_interval(days => :undo_days::integer)
  order by created_at
  limit 100
  for update skip locked
) old
where c.import_id = old.import_id and c.batch = old.batch
returning c.import_id
