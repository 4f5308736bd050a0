-- Lets go of an endpoint that is still held. The lease's name goes too, so that a renewal under way cannot bring it back.
update webhooks set lease = null, leased_until = null
where client_id = :client_id and webhook_id = :webhook_id and lease = :lease
