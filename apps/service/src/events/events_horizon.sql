-- All events with smaller positions than this are visible to the statement that calls this function, and no more will
-- come: it is the position of the first transaction that runs by the statement's snapshot, without those of other
-- databases of the server. They write no events here, however long they stay open.
--
-- A transaction of the snapshot that is not found among the sessions may be one of ours, and is waited for: it has just
-- ended, or this is a standby.
create or replace function events_horizon() returns xid8 stable language sql as $$
  select event_position(coalesce((
    select r.id
    from pg_snapshot_xip(pg_current_snapshot()) r (id)
    where not exists (
        select from pg_stat_get_activity(null) a
        where a.backend_xid = r.id::xid
          and a.datid <> (select oid from pg_database where datname = current_database())
      )
      and not exists (
        select from pg_prepared_xacts p where p.transaction = r.id::xid and p.database <> current_database()
      )
    order by r.id
    limit 1
  ), pg_snapshot_xmax(pg_current_snapshot())))
$$;
