-- What the service keeps to do its work: answers for retries, when its jobs run, which functions are installed, and
-- which database this is. The table of migrations itself is made by migrate.

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
create index idempotency_keys_by_age on idempotency_keys (created_at); -- sweep-idempotency-keys.sql

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
create index operator_idempotency_keys_by_age on operator_idempotency_keys (created_at); -- sweep-idempotency-keys.sql

-- When each periodic job of the worker runs next. The jobs and their schedules are in apps/service/src/worker/jobs.ts;
-- the worker adds a row for each. A migration that removes a job deletes its row: otherwise it counts as waiting
-- forever.
create table worker_jobs (
  job_name text not null,
  next_run_at timestamptz not null,
  last_started_at timestamptz,
  last_ended_at timestamptz, -- Before last_started_at while a run is in progress, or when its process was killed.
  failures integer not null default 0, -- Of the last runs in a row.
  constraint worker_jobs_pkey primary key (job_name)
);

-- The functions that migrate has installed, by file: a changed file is installed again.
create table installed_functions (
  file text not null,
  digest text not null,
  installed_at timestamptz not null default now(),
  constraint installed_functions_pkey primary key (file)
);

-- Which server and database the rows were written in, so that a start notices that they were restored or copied
-- (decision 21). One row, written by the first start of the service, not by a migration.
-- written_by is the transaction that wrote the row: a dump copies the column but gives the row another xmin.
create table database_identity (
  is_one boolean not null default true,
  system_identifier bigint not null,
  database_id oid not null,
  timeline bigint not null,
  written_by xid8 not null default pg_current_xact_id(),
  written_at timestamptz not null default now(),
  constraint database_identity_pkey primary key (is_one),
  constraint database_identity_is_one check (is_one)
);
