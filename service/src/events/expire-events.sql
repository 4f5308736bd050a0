-- Deletes a batch of the oldest events in the order of the feed, up to the first one that is still to be kept. The
-- events of a client have the same order there as by number, so the remaining numbers have no gap. Locks clients by id,
-- then the events and the row of event_feed, which no request locks.
with oldest as (
  select e.transaction_id, e.client_id, e.event_number,
    bool_and(e.event_datetime < now() - make_interval(days => :kept_days))
      over (order by e.transaction_id, e.client_id, e.event_number) as due
  from (
    select transaction_id, client_id, event_number, event_datetime from events
    where (transaction_id, client_id, event_number)
      > (:after_transaction::text::xid8, :after_client::bigint, :after_number::bigint)
    order by transaction_id, client_id, event_number
    limit 500
  ) e
), counted as (            -- few-rows hint
  select client_id, max(event_number) as last_number from oldest where due group by client_id having count(*) > 0
), held as (
  select c.client_id, n.last_number
  from (select client_id, last_number from counted order by client_id) n
  cross join lateral (
    select k.client_id from clients k where k.client_id = n.client_id offset 0 for no key update of k -- lookup fence
  ) c
), kept as (
  update clients c set first_event_number = greatest(c.first_event_number, h.last_number + 1)
  from held h
  where c.client_id = h.client_id and c.client_id = any(array(select client_id from held))
  returning c.client_id
), expired as (
  delete from events e
  using oldest o, kept k
  where o.due and k.client_id = o.client_id and e.client_id = o.client_id and e.event_number = o.event_number
  returning e.event_number
), marked as (             -- A cursor before this position is refused: it would miss events.
  insert into event_feed as f (expired_transaction, expired_client, expired_number)
  select transaction_id, client_id, event_number from oldest
  where due
  order by oldest.transaction_id desc, oldest.client_id desc, oldest.event_number desc
  limit 1
  on conflict (is_one) do update
  set expired_transaction = excluded.expired_transaction, expired_client = excluded.expired_client,
    expired_number = excluded.expired_number
  where (f.expired_transaction, f.expired_client, f.expired_number)
    < (excluded.expired_transaction, excluded.expired_client, excluded.expired_number)
)
select transaction_id::text as transaction_id, client_id, event_number, (select count(*) from expired) as expired
from oldest
where due
order by oldest.transaction_id desc, oldest.client_id desc, oldest.event_number desc
limit 1
