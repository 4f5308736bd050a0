-- Records the server and database of the rows, at the first start.
insert into database_identity (system_identifier, database_id, timeline)
select s.system_identifier, d.oid, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint
from pg_control_system() s, pg_database d
where d.datname = current_database()
on conflict (is_one) do nothing
