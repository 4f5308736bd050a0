-- Records deliveries to several leased endpoints, each as record-delivery.sql does. An endpoint whose row is locked by
-- a change, or whose lease is lost, is left out: the caller records it on its own, so that nobody waits for its lock.
-- Locks the endpoints in the order in which they are given, by id.
with given as materialized (
  select g.*
  from unnest(:client_ids::bigint[], :webhook_ids::bigint[], :leases::text[], :event_numbers::bigint[],
    :event_types::text[], :attempts::bigint[], :statuses::bigint[], :errors::text[], :durations_ms::bigint[])
    as g (client_id, webhook_id, lease, event_number, event_type, attempt, status, error, duration_ms)
), held as materialized (
  select g.*
  from given g
  cross join lateral (
    select w.webhook_id from webhooks w
    where w.client_id = g.client_id and w.webhook_id = g.webhook_id and w.lease = g.lease
    for no key update of w skip locked
  ) w
), due as materialized (    -- How far each client's events go.
  select h.*, c.last_number
  from held h
  cross join lateral (
    select c.event_number as last_number from clients c where c.client_id = h.client_id
  ) c
), moved as (
  update webhooks w set delivered_event_number = d.event_number,
    lease = case when d.event_number < d.last_number then w.lease end,
    leased_until = case when d.event_number < d.last_number
      then now() + :lease_ms::integer * interval '1 millisecond' end,
    attempts = 0, failing_since = null, last_failure = null, next_attempt_at = null
  from due d
  where w.client_id = d.client_id and w.webhook_id = d.webhook_id
    and w.webhook_id = any(array(select webhook_id from due))
  returning w.webhook_id, w.lease is not null as still_leased
), logged as (
  insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, error, duration_ms)
  select d.client_id, d.webhook_id, d.event_number, d.event_type, d.attempt, d.status, d.error, d.duration_ms
  from due d
  where d.attempt > 0 or d.error is not null
)
select webhook_id, still_leased from moved
