-- How the server and database differ from those in which the rows were written; no row before the first start.
-- The first 8 digits of a WAL file's name are the timeline, which each recovery and promotion raises; a standby has no
-- such file to name, and is none of our concern until it is promoted.
-- Settings that the role may not read are missing in pg_settings: primary_conninfo is null then.
select i.system_identifier <> s.system_identifier as other_server,
  i.database_id <> d.oid as other_database,
  i.xmin::text::bigint <> i.written_by::text::bigint % 4294967296 as copied,
  not pg_is_in_recovery() and i.timeline <> coalesce(('x' || left(w.file, 8))::bit(32)::bigint, i.timeline)
    as other_timeline,
  exists (
    select from pg_settings
    where name in ('recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time',
      'recovery_target_xid') and setting <> ''
  ) as has_target,
  (select setting <> '' from pg_settings where name = 'primary_conninfo') as was_standby
from database_identity i
cross join pg_control_system() s
cross join lateral (
  select case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file
) w
join pg_database d on d.datname = current_database()
