-- An import, with the figures of its batches as long as they exist.
select i.import_id, i.import_kind, i.mode, i.import_key, i.import_state, i.rows, coalesce(b.rows_done, 0) as rows_done,
  i.rows_added + coalesce(b.rows_added, 0) as rows_added, i.rows_changed + coalesce(b.rows_changed, 0) as rows_changed,
    i.rows_refused,
  i.created_at, i.finished_at, i.actor
from imports i
left join lateral (
  select sum(b.rows) filter (where b.done_in = i.import_state) as rows_done, sum(b.rows_added) as rows_added,
    sum(b.rows_changed) as rows_changed
  from import_batches b
  where b.import_id = i.import_id
) b on true
where i.import_id = :import_id
