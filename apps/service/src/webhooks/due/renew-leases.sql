-- Extends the leases that still hold. Skips a row that is locked by a change: it is renewed next time, and must not
-- delay the others.
with held as (
  select w.webhook_id from webhooks w
  where w.webhook_id = any(:webhook_ids) and w.lease = any(:leases)
  order by w.webhook_id
  for no key update of w skip locked
)
update webhooks w set leased_until = now() + :lease_ms::integer * interval '1 millisecond'
from held h
where w.webhook_id = h.webhook_id
returning w.webhook_id
