-- Stores a batch of rows, and the errors of lines since the previous batch that could not be read.
with batch as (
  insert into import_batches (import_id, batch, columns, rows)
  select :import_id::bigint, :batch::integer, :columns::json, :rows::integer
  where :rows > 0
), bad as (
  insert into import_errors (import_id, line, place, code, details)
  select :import_id, e.line, e.place, e.code, e.details
  from jsonb_to_recordset(:errors) as e (line bigint, place integer, code text, details jsonb)
  returning line
)
update imports set updated_at = now(), rows = rows + :rows + (select count(distinct line) from bad),
  rows_refused = rows_refused + (select count(distinct line) from bad)
where import_id = :import_id and import_state = 'receiving'
returning import_id
