-- Those that are still held, for longer; or for no longer.
update webhooks w set leased_until = now() + :lease_ms::integer * interval '1 millisecond'
where w.webhook_id = any(:webhook_ids) and w.lease = any(:leases)
returning w.webhook_id
