-- What was answered to the request with this key. After 24 hours it does not count any more, and makes room for the key's next use.
-- The row is locked, so that under synchronous replication a repeated answer cannot run ahead of the replica.
with forgotten as (
  delete from idempotency_keys
  where client_id = :client_id and operation = :operation and idempotency_key = :idempotency_key
    and created_at <= now() - interval '24 hours'
)
select request_digest, answer
from idempotency_keys
where client_id = :client_id and operation = :operation and idempotency_key = :idempotency_key
  and created_at > now() - interval '24 hours'
for update
