-- The plan of every order before its rows are inserted: its client, its states and the numbers of its events.
-- Of every ten clients, one places 30 % of the orders and the smallest place 5 %. Clients are mixed in time.
-- The newest tenth is in every state; older ones are finished. Every twentieth client adjusts a third of its orders.
create unlogged table bench_load.orders as
with drawn as (
  select n + 1 as order_id,
    slot / 100 * 10 + 10 - width_bucket(slot % 100, array[30, 35, 40, 45, 51, 57, 64, 72, 84]) as client_id,
    now() - interval '730 days' + interval '730 days' * (n::float8 / :orders) as created_at,
    case when n >= :orders * 0.9 then
      (array['new', 'new', 'new', 'new', 'new',
        'new,processing', 'new,processing', 'new,processing', 'new,processing', 'new,processing',
        'new,processing,fulfilling', 'new,processing,fulfilling', 'new,processing,fulfilling',
        'new,processing,fulfilling,shipped', 'new,processing,fulfilling,shipped', 'new,processing,fulfilling,shipped',
        'new,zayavka-na-otmen', 'new,processing,zayavka-na-otmen', 'new,canceled',
        'new,processing,fulfilling,shipped,completed'
      ])[1 + pg_temp.pick(n, 10, 20)]
    when pg_temp.pick(n, 10, 20) = 0 then 'new,zayavka-na-otmen,canceled'
    else 'new,processing,fulfilling,shipped,completed' end as path,
    pg_temp.pick(n, 11, 30) = 0 as seldom, pg_temp.pick(n, 11, 3) = 0 as often
  from generate_series(0, :orders - 1) n
  cross join lateral (select n::bigint * :client_stride % (:clients * 10) as slot) s
), routed as (
  select order_id, client_id, created_at, string_to_array(path, ',') as states,
    seldom or (often and client_id % 20 = 0) as adjusted,
    1 + (client_id + pg_temp.pick(order_id, 12, 2)) % 3 as stock_id,
    client_id * 2 - case pg_temp.pick(order_id, 13, 4) when 0 then 0 else 1 end as contract_id,
    pg_temp.pick(order_id, 14, 100) = 0 as virtual,
    least(interval '9 hours', (now() - created_at) / 8) as pace
  from drawn
), judged as (             -- The first three lines of an order are adjusted, and decided together.
  select *, states[cardinality(states)] as state_id,
    case when not adjusted then null
      when states[cardinality(states)] in ('new', 'processing') then 'WAIT'
      when pg_temp.pick(order_id, 15, 3) = 0 then 'CANCELED'
      else 'ACCEPTED' end as adjustment_status
  from routed
)
select *,
  sum(cardinality(states)
    + case when adjustment_status is null then 0 when adjustment_status = 'WAIT' then 3 else 6 end)
  over (partition by client_id order by order_id) as last_event
from judged
