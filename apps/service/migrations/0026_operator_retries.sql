-- As idempotency_keys, for requests of operators. An answer that shows a secret is kept without it.
create table operator_idempotency_keys (
  actor text not null,
  operation text not null,
  idempotency_key text not null,
  request_digest bytea not null,
  answer json not null,
  created_at timestamptz not null default now(),
  constraint operator_idempotency_keys_pkey primary key (actor, operation, idempotency_key)
);
create index operator_idempotency_keys_by_age on operator_idempotency_keys (created_at);
