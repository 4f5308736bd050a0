-- Makes a restored database safe to serve from; decision 21 explains each step. What was written after the moment of
-- the backup is lost, but was seen by clients: no number that they may have seen is given out again.
-- Run as one transaction. $1 and $2 do not exist here: the margin is a setting of the transaction.
lock table clients, events, webhooks, feed_endpoints in share row exclusive mode;
select raise_event_positions(); -- Readers of all clients' events go on from the positions that they have.
update item_feed set generation = generation + 1; -- Copies of the catalogue are read again.

-- Identities and order numbers.
select setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value)
  + current_setting('parts_restore.margin')::bigint)
from pg_sequences
where schemaname = 'public';

-- Each client's events keep their order and have no gap, and begin above every number that was ever used: a reader
-- with an old number gets 410 with the first number. What endpoints have received stays received.
-- Expired events whose table is not dropped yet move too.
create temporary table moved_clients on commit drop as
select c.client_id, c.event_number - least(c.first_event_number, e.first) + 1
  + current_setting('parts_restore.margin')::bigint as moved_by
from clients c
left join (select client_id, min(event_number) as first from events group by client_id) e using (client_id);
alter table moved_clients add primary key (client_id);

update events e set event_number = e.event_number + m.moved_by
from moved_clients m where m.client_id = e.client_id;

update webhooks w set delivered_event_number = w.delivered_event_number + m.moved_by, lease = null, leased_until = null
from moved_clients m where m.client_id = w.client_id;

-- A position in the feed names the last event before it: it moves with that event, so that nothing comes again.
update feed_endpoints f set after_number = f.after_number + m.moved_by
from moved_clients m where m.client_id = f.after_client and f.after_number > 0;
update feed_endpoints set lease = null, leased_until = null;

update webhook_deliveries d set event_number = d.event_number + m.moved_by
from moved_clients m where m.client_id = d.client_id and d.event_number is not null;

update clients c set first_event_number = c.first_event_number + m.moved_by,
  event_number = c.event_number + m.moved_by + 1,
  event_transaction = greatest(c.event_transaction, event_position(pg_current_xact_id()))
from moved_clients m where m.client_id = c.client_id;

insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
select c.event_transaction, c.client_id, c.event_number, 'service.restored',
  jsonb_build_object('events_moved_by', m.moved_by), 'the command line', ''
from clients c
join moved_clients m on m.client_id = c.client_id;

delete from database_identity;
insert into database_identity (system_identifier, database_id, timeline)
select s.system_identifier, d.oid, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint
from pg_control_system() s, pg_database d
where d.datname = current_database();
