-- Generated from order-note.ts by npm run generate.
-- The internal notes of an order (o) in one column: `noteFields`. Newest first.
select coalesce(string_agg(concat_ws(E'\x1f',
  m.note_datetime, m.note_author, m.note_text), E'\x1e'), '')
from (
  select m.note_datetime, m.note_author, m.note_text
  from order_notes m
  where m.client_id = o.client_id and m.order_id = o.order_id
  order by m.note_id desc
) m
