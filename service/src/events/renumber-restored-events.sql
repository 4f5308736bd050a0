-- Transactions are counted by the server, not by the database: after a dump was restored into another one, events may stand beyond all
-- that it has counted yet. The feed would not show them, nor any later event of their clients. They get new positions in the order that
-- they have, below the present transaction: one for each transaction, or one for several where there are not as many. One transaction.
lock table clients, events in share row exclusive mode;

with restored as (
  select 1 from clients where event_transaction >= pg_current_xact_id() limit 1
), ranked as (
  select e.client_id, e.event_number, dense_rank() over (order by e.transaction_id) as place
  from events e, restored
), room as (
  select pg_current_xact_id()::text::numeric - 1 as positions, max(place) as places from ranked
)
update events e set transaction_id = ceil(k.place * least(1, r.positions / r.places))::text::xid8
from ranked k, room r
where e.client_id = k.client_id and e.event_number = k.event_number;

insert into event_feed as f (generation, expired_transaction, expired_client, expired_number)
select 1, '0', 0, 0 from clients where event_transaction >= pg_current_xact_id() limit 1
on conflict (is_one) do update
set generation = f.generation + 1, expired_transaction = excluded.expired_transaction,
  expired_client = excluded.expired_client, expired_number = excluded.expired_number;

update clients set event_transaction = '0' where event_transaction >= pg_current_xact_id();
