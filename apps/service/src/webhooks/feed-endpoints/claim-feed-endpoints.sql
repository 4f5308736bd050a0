-- Leases endpoints that no worker holds: those that may be sent to, and those for which a test was requested, which is
-- taken. If the worker is killed before it sends the test, the test is lost: the operator can request another.
with free as (
  select f.endpoint_id, f.test_requested as is_tested,
    f.paused_reason is null and coalesce(f.next_attempt_at <= now(), true) as is_due
  from feed_endpoints f
  where f.endpoint_id = any(:endpoint_ids) and (f.leased_until is null or f.leased_until < now())
    and (f.test_requested or f.paused_reason is null and coalesce(f.next_attempt_at <= now(), true))
  order by f.endpoint_id
  for no key update of f skip locked
)
update feed_endpoints f set lease = :lease, leased_until = now() + :lease_ms::integer * interval '1 millisecond',
  test_requested = false
from free r
where f.endpoint_id = r.endpoint_id
returning f.endpoint_id, f.url, f.event_types, f.secret,
  case when f.previous_secret_until > now() then f.previous_secret end as previous_secret,
  f.generation, f.after_transaction::text as after_transaction, f.after_client, f.after_number, f.attempts, r.is_tested,
  r.is_due
