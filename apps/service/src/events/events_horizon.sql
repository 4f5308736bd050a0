-- The events of all transactions with smaller ids than this are visible to every statement that is sent afterwards.
-- Only transactions of this database count: those of others write no events here, however long they stay open.
--
-- In this order, or one that commits in between is lost: the first id that nobody has had yet; then the ids of those
-- that are still running, prepared ones last, since a transaction is prepared after it ran; and the caller reads by a
-- later snapshot. A running id is the lower half of the whole one.
create or replace function events_horizon() returns xid8 language plpgsql as $$
declare
  next_id bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  running_ids bigint[];
  prepared_ids bigint[];
begin
  -- Without the role's right, or on a standby, the ids of others' sessions are not shown.
  if pg_is_in_recovery() or not pg_has_role('pg_read_all_stats', 'usage') then
    return pg_snapshot_xmin(pg_current_snapshot());
  end if;
  select array_agg(a.backend_xid::text::bigint) into running_ids
  from pg_stat_get_activity(null) a
  where a.backend_xid is not null and a.datid = (select oid from pg_database where datname = current_database());
  select array_agg(p.transaction::text::bigint) into prepared_ids
  from pg_prepared_xacts p
  where p.database = current_database();
  return (
    select least(next_id, min(next_id - r.behind))::text::xid8
    from (select (next_id - id) & 4294967295 as behind from unnest(running_ids || prepared_ids) id) r
    where r.behind < 2147483648 -- Otherwise it is newer.
  );
end $$;
