-- The roles of the service. Run it once as a superuser, in the database of the service, before the first migration:
--   psql -v ON_ERROR_STOP=1 -d parts -f deploy/postgres/roles.sql
-- Then give each role a password, for example with \password parts_service. It may be run again.
--
--   parts_owner    owns the tables: migrate, after-restore
--   parts_service  reads and writes rows: api, worker, the first operator key
--   parts_reader   only reads: invariants, reports
--   parts_oncall   reads too, and may end what others do: the runbooks of the alerts
--   parts_monitor  sees figures of the server, and no row: prometheus-postgres-exporter
--   parts_service_b  the same as parts_service; cannot log in until the passwords are replaced (passwords.md)
--
-- parts_service cannot change the schema, disable a constraint or truncate a table, so a flaw in a statement cannot
-- either. What happened stays: it adds events, audit entries and changes of the catalogue, and neither changes nor
-- deletes them. Functions of the owner, which refuse anything else, drop expired ones, seal days, and replace the names
-- of an erased contact (decisions 11 and 24). The migrations take these privileges from all roles that have them, so an
-- upgrade needs no second run of this file for that.
-- Nobody else may connect to the database or see the tables.
select format('create role %I login', name)
from unnest(array['parts_owner', 'parts_service', 'parts_reader', 'parts_oncall', 'parts_monitor']) name
where not exists (select from pg_roles where rolname = name) \gexec

select 'create role parts_service_b nologin'
where not exists (select from pg_roles where rolname = 'parts_service_b') \gexec

alter role parts_owner nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role parts_service nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role parts_service_b nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role parts_reader nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role parts_oncall nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role parts_monitor nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role parts_reader set default_transaction_read_only = on;
grant parts_service to parts_service_b;

select format('revoke all on database %I from public', current_database()) \gexec
select format('grant connect, temporary, create on database %I to parts_owner', current_database()) \gexec
select format('grant connect on database %I to parts_service, parts_reader, parts_oncall', current_database()) \gexec
select format('grant connect on database %I to parts_monitor', current_database()) \gexec
revoke all on schema public from public;
grant usage, create on schema public to parts_owner;
grant usage on schema public to parts_service, parts_reader;

-- Of everything that parts_owner will create.
alter default privileges for role parts_owner in schema public
  grant select, insert, update, delete on tables to parts_service;
alter default privileges for role parts_owner in schema public grant usage, select on sequences to parts_service;
alter default privileges for role parts_owner in schema public grant select on tables to parts_reader;
alter default privileges for role parts_owner in schema public grant select on sequences to parts_reader;

-- A database that was migrated before it had these roles: its tables change hands. A sequence that belongs to a column
-- follows its table.
select format('alter table %s owner to parts_owner', oid::regclass) from pg_class
where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') \gexec
select format('alter sequence %s owner to parts_owner', c.oid::regclass) from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')) \gexec
select format('alter function %s owner to parts_owner', oid::regprocedure) from pg_proc
where pronamespace = 'public'::regnamespace and prosecdef \gexec
grant select, insert, update, delete on all tables in schema public to parts_service;
select format('revoke update, delete on %s from parts_service', oid::regclass) from pg_class
where oid in (to_regclass('public.events'), to_regclass('public.events_before'), to_regclass('public.audit_entries'),
  to_regclass('public.catalogue_changes')) \gexec
select format('revoke insert, update, delete on %s from parts_service', oid::regclass) from pg_class
where oid in (to_regclass('public.audit_seals'), to_regclass('public.audit_counter')) \gexec
grant usage, select on all sequences in schema public to parts_service;
grant select on all tables in schema public to parts_reader;
grant select on all sequences in schema public to parts_reader;

-- Tells a promoted standby from a restored backup (decision 21). It shows settings and no data.
grant pg_read_all_settings to parts_service, parts_owner;

-- What other sessions do: `migrate` names the one that blocks it.
grant pg_read_all_stats to parts_owner;

-- Sees what every session does and what WAL waits, and may cancel or end a session, except those of superusers.
grant parts_reader, pg_monitor, pg_signal_backend to parts_oncall;
grant pg_monitor to parts_monitor;
