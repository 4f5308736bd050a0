-- Counts one day of the last :days that is due, the oldest first. A day is due until it was counted an hour after its
-- end, when all its transactions have ended; until then at most once in 5 minutes. Counting again gives the same row,
-- so two workers do no harm. Both counts read one day's part of an index. An order counts as shipped when nothing of it
-- is open, on the day of its last shipment.
with due as (
  select d.day, d.day::timestamptz as since, (d.day + 1)::timestamptz as until
  from (select current_date - n as day from generate_series(0, :days - 1) n) d
  left join daily_figures f on f.day = d.day
  where f.day is null
    or f.counted_at < least((d.day + 1)::timestamptz + interval '1 hour', now() - interval '5 minutes')
  order by d.day
  limit 1
), counted as (
  insert into daily_figures (day, placed, shipped, ship_hours, counted_at)
  select d.day, p.placed, s.shipped, s.ship_hours, now()
  from due d
  cross join lateral (
    select count(*) as placed from orders o
    where o.order_create_datetime >= d.since and o.order_create_datetime < d.until
  ) p
  cross join lateral (
    select count(*) as shipped,
      avg(extract(epoch from o.order_shipped_datetime - o.order_create_datetime)) / 3600 as ship_hours
    from orders o
    where o.order_shipped_datetime >= d.since and o.order_shipped_datetime < d.until
      and o.order_state_id in ('shipped', 'completed')
  ) s
  on conflict on constraint daily_figures_pkey do update set placed = excluded.placed, shipped = excluded.shipped,
    ship_hours = excluded.ship_hours, counted_at = excluded.counted_at
  returning day
)
select count(*) as counted from counted
