-- Moves the position of an endpoint that is still leased, and writes the delivery log. Releases the endpoint unless a
-- further page is read at once. A move without an attempt skips events of types that the endpoint does not want, or,
-- with an error, events that have expired.
with moved as (
  update feed_endpoints f set generation = :generation, after_transaction = :after_transaction::text::xid8,
    after_client = :after_client, after_number = :after_number,
    lease = case when :more then f.lease end,
    leased_until = case when :more then now() + :lease_ms::integer * interval '1 millisecond' end,
    attempts = 0, failing_since = null, last_failure = null, next_attempt_at = null
  where f.endpoint_id = :endpoint_id and f.lease = :lease
  returning f.endpoint_id
), logged as (
  insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, status, error, duration_ms)
  select f.endpoint_id, :message_id, :event_count, :attempt, :status, :error, :duration_ms
  from feed_endpoints f
  where f.endpoint_id = :endpoint_id and (:attempt > 0 or :error::text is not null)
)
select endpoint_id from moved
