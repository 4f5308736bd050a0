  i.import_id, i.import_kind, i.mode, i.import_key, i.file_name, i.file_format, i.dry_run, i.import_state, i.rows,
  coalesce(b.rows_done, 0) as rows_done, i.rows_added + coalesce(b.rows_added, 0) as rows_added,
  i.rows_changed + coalesce(b.rows_changed, 0) as rows_changed, i.rows_refused, i.created_at, i.finished_at,
  shown_actor(i.actor) as actor,
  not i.dry_run and i.import_state in ('done', 'stopped')
    and i.finished_at > now() - make_interval(days => :undo_days::integer) as undoable
from imports i
left join lateral (
  select sum(b.rows) filter (where b.done_in = i.import_state) as rows_done, sum(b.rows_added) as rows_added,
    sum(b.rows_changed) as rows_changed
  from import_batches b
  where b.import_id = i.import_id and i.finished_at is null
) b on true
