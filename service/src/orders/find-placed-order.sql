-- The order that was placed from a cart group. Locking its row writes to the log, so under synchronous replication
-- the response waits for the replica, as the first one did.
select order_id, request_digest = :request_digest and cart_group_fingerprint = (
    -- include key-fingerprint.part.sql
  ) as same
from orders
where client_id = :client_id and cart_group_id = :cart_group_id
for update
