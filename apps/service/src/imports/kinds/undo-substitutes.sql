-- Restores what stood in for items before an import, all of it or nothing: nothing if something else does since.
with import as materialized (
  -- include undone-import.part.sql
), change as materialized (
  select c.item_id, c.before, c.after
  from import m
  join import_changes b on b.import_id = m.import_id
  cross join lateral jsonb_to_recordset(b.changes) as c (item_id bigint, before jsonb, after jsonb)
  order by c.item_id
), present as materialized (
  select c.item_id, c.before, c.after, named_substitutes(held_substitutes(c.item_id)) as named from change c
), differing as materialized (
  select jsonb_build_object('item_id', p.item_id, 'imported', p.after, 'present', p.named) as shown
  from present p
  where p.named is distinct from p.after
), verdict as materialized (
  -- include undo-verdict.part.sql
), removed as (
  delete from item_substitutes s using present p, verdict v
  where v.possible and s.item_id = p.item_id
  returning 1
), restored as (
  insert into item_substitutes (item_id, place, substitute_id)
  select p.item_id, n.place, n.substitute_id
  from verdict v, present p
  cross join lateral (
    select 0 as place, (p.before ->> 'replaced_by')::bigint as substitute_id
    union all
    select s.place, s.id::bigint from jsonb_array_elements_text(p.before -> 'substitutes') with ordinality s (id, place)
  ) n
  where v.possible and n.substitute_id is not null
    and (select count(*) from removed) >= 0 -- chained: removed first
), -- include undo-end.part.sql
