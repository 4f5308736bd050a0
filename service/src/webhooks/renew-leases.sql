-- Those that are still held, for longer. One that somebody is changing is left for the next time: it must not hold up all the others.
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
