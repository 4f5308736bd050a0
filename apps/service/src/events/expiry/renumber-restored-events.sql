-- Transaction ids are counted by the server, not by the database. After a dump is restored into another server, events
-- may have ids that this server has not reached yet. The feed would not show them, nor later events of their clients.
-- They get new positions below the current transaction, in the same order: one position for each old transaction, or
-- one for several if there are not enough. Must run as one transaction.
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
