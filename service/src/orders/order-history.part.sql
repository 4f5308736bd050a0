-- Generated from order-fields.ts by npm run generate.
-- The entries (h) of an order's history in one column: `historyFields`. They come newest first from a sorted subquery.
coalesce(string_agg(concat_ws(E'\x1f',
  h.date, h."group", h.state_id, h.text), E'\x1e'), '')
