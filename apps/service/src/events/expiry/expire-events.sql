-- Hides the events of a batch of clients, by id, that were set aside in events_before, once the newest of them is older
-- than :kept_days: readers of what is before first_event_number get 410. When all are hidden, the table is dropped.
-- The newest in the order of the feed may have begun a little earlier than others: hence the hour.
-- Locks clients by id, then the row of event_feed, which no request locks.
with newest as materialized (
  select b.transaction_id, b.client_id, b.event_number
  from (
    select b.transaction_id, b.client_id, b.event_number, b.event_datetime from events_before b
    where b.transaction_id > '0' -- Excludes nothing; makes PostgreSQL read the index.
    order by b.transaction_id desc, b.client_id desc, b.event_number desc
    limit 1
  ) b
  where b.event_datetime < now() - make_interval(days => :kept_days, hours => 1)
), page as materialized (
  select k.client_id from clients k
  where k.client_id > :after_client and exists (select from newest)
  order by k.client_id
  limit 500
), expired as (
  select p.client_id, b.last_number
  from page p
  cross join lateral (
    select max(b.event_number) as last_number from events_before b where b.client_id = p.client_id
  ) b
), held as (
  select c.client_id, c.first_event_number, n.last_number
  from (select client_id, last_number from expired where last_number is not null order by client_id) n
  cross join lateral (
    select k.client_id, k.first_event_number from clients k
    where k.client_id = n.client_id and k.first_event_number <= n.last_number
    for no key update of k
  ) c
), hidden as (
  update clients c set first_event_number = h.last_number + 1
  from held h
  where c.client_id = h.client_id and c.client_id = any(array(select client_id from held))
  returning h.last_number - h.first_event_number + 1 as events
), marked as (             -- A cursor before this position is refused: it would miss events.
  insert into event_feed as f (expired_transaction, expired_client, expired_number)
  select transaction_id, client_id, event_number from newest
  on conflict (is_one) do update
  set expired_transaction = excluded.expired_transaction, expired_client = excluded.expired_client,
    expired_number = excluded.expired_number
  where (f.expired_transaction, f.expired_client, f.expired_number)
    < (excluded.expired_transaction, excluded.expired_client, excluded.expired_number)
)
select p.client_id, (select coalesce(sum(h.events), 0)::bigint from hidden h) as expired
from page p
order by p.client_id desc
limit 1
