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
