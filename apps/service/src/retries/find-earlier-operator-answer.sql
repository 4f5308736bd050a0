-- As find-earlier-answer.sql, for a request of an operator.
with expired as (
  delete from operator_idempotency_keys
  where actor = :actor and operation = :operation and idempotency_key = :idempotency_key
    and created_at <= now() - interval '24 hours'
)
select request_digest, answer
from operator_idempotency_keys
where actor = :actor and operation = :operation and idempotency_key = :idempotency_key
  and created_at > now() - interval '24 hours'
for update
