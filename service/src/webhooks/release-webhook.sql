-- Releases an endpoint that is still leased. Clears the name too, so that a renewal in flight cannot restore the
-- lease.
update webhooks set lease = null, leased_until = null
where client_id = :client_id and webhook_id = :webhook_id and lease = :lease
