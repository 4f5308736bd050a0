-- Newest first. Reading a single import shows the figures while it is in progress.
select import_id, import_kind, mode, import_key, import_state, rows, 0::bigint as rows_done, rows_added, rows_changed,
  rows_refused, created_at, finished_at, actor
from imports
where import_id < :before_id
order by import_id desc
limit :page_size
