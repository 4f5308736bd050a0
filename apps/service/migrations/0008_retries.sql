-- Answers to requests with an Idempotency-Key, so that a retry within 24 hours gets the same answer. The statement
-- that makes the change writes the row; the primary key refuses the statement when the change was made before.
create table idempotency_keys (
  client_id bigint not null,
  operation text not null,
  idempotency_key text not null,
  request_digest bytea not null,
  answer json not null,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (client_id, operation, idempotency_key),
  constraint idempotency_keys_client foreign key (client_id) references clients
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
