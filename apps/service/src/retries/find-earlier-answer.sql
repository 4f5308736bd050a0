-- The answer to the first request with this key. After 24 hours it expires and is deleted, and the key can be reused.
-- Locks the row: under synchronous replication, a repeated answer must not be sent before the replica has the first.
with expired as (
  delete from idempotency_keys
  where client_id = :client_id and operation = :operation and idempotency_key = :idempotency_key
    and created_at <= now() - interval '24 hours'
)
select request_digest, answer
from idempotency_keys
where client_id = :client_id and operation = :operation and idempotency_key = :idempotency_key
  and created_at > now() - interval '24 hours'
for update
