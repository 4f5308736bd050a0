-- Restores what was expected before an import, all of it or nothing: nothing if a level expects something else since.
with import as materialized (
  -- include undone-import.part.sql
), change as materialized (
  select c.stock_id, c.item_id, c.before, c.after
  from import m
  join import_changes b on b.import_id = m.import_id
  cross join lateral jsonb_to_recordset(b.changes) as c (stock_id bigint, item_id bigint, before jsonb, after jsonb)
  order by c.stock_id, c.item_id
), present as materialized (
  select c.stock_id, c.item_id, c.before, c.after, held_arrivals(c.stock_id, c.item_id) as arrivals from change c
), differing as materialized (
  select jsonb_build_object('stock_id', p.stock_id, 'item_id', p.item_id, 'imported', p.after, 'present', p.arrivals)
    as shown
  from present p
  where p.arrivals <> coalesce(p.after, '[]')
), verdict as materialized (
  -- include undo-verdict.part.sql
), removed as (
  delete from stock_arrivals a using present p, verdict v
  where v.possible and a.stock_id = p.stock_id and a.item_id = p.item_id
  returning 1
), restored as (
  insert into stock_arrivals (stock_id, item_id, arrives_on, quantity)
  select p.stock_id, p.item_id, a.date, a.quantity
  from verdict v, present p
  cross join lateral jsonb_to_recordset(p.before) a (date date, quantity bigint)
  where v.possible and (select count(*) from removed) >= 0 -- chained: removed first
), -- include undo-end.part.sql
