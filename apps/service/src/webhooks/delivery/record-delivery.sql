-- Moves the position of an endpoint that is still leased, and writes the delivery log. Extends the lease if there is
-- more to send, and releases the endpoint otherwise. A move without an attempt skips events that the endpoint does
-- not subscribe to, or, with an error, events that have expired.
with moved as (
  update webhooks w set delivered_event_number = :event_number,
    lease = case when :event_number < c.event_number then w.lease end,
    leased_until = case when :event_number < c.event_number
      then now() + :lease_ms::integer * interval '1 millisecond' end,
    attempts = 0, failing_since = null, last_failure = null, next_attempt_at = null
  from clients c
  where w.client_id = :client_id and w.webhook_id = :webhook_id and w.lease = :lease and c.client_id = :client_id
  returning w.lease is not null as still_leased
), logged as (
  insert into webhook_deliveries (client_id, webhook_id, event_number, event_type, attempt, status, error, duration_ms)
  select w.client_id, w.webhook_id, :event_number, :event_type, :attempt, :status, :error, :duration_ms
  from webhooks w
  where w.client_id = :client_id and w.webhook_id = :webhook_id and (:attempt > 0 or :error::text is not null)
)
select still_leased from moved
