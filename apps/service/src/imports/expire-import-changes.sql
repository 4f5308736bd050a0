-- What imports changed so long ago that they can no longer be undone.
delete from import_changes b
using (
  select import_id, batch from import_changes
  where created_at < now() - make_interval(days => :undo_days::integer)
  order by created_at
  limit 100
  for update skip locked
) old
where b.import_id = old.import_id and b.batch = old.batch
returning b.import_id
