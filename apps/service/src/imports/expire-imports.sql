-- Deletes imports that ended :kept_days ago, oldest first, and before them their errors, 10,000 at a time.
with old as (
  select import_id from imports
  where finished_at < now() - make_interval(days => :kept_days::integer)
  order by finished_at, import_id
  limit 100
  for update skip locked
), errors as (
  select e.import_id, e.line, e.place
  from old o
  join import_errors e on e.import_id = o.import_id
  limit 10000
), dropped as (
  delete from import_errors e
  using errors x
  where e.import_id = x.import_id and e.line = x.line and e.place = x.place
  returning e.import_id
), gone as (               -- None of their errors is left.
  delete from imports i
  using old o
  where i.import_id = o.import_id and (select count(*) from errors) < 10000
  returning i.import_id
)
select (select count(*) from dropped) + (select count(*) from gone) as expired
