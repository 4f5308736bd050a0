-- Deletes a batch of the oldest catalogue changes, if they are older than kept_days, and returns how many; 0 if there
-- is none. Skips those that another worker is deleting. Fewer than 90 days are refused, as in drop_audit_day: nobody
-- who has taken over the service removes what it did there.
-- Security definer, since the role of the service may not delete catalogue changes.
create function delete_catalogue_changes(kept_days integer) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    declare
      deleted bigint;
    begin
      if not has_table_privilege(session_user, 'public.catalogue_changes', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table catalogue_changes';
      end if;
      if kept_days < 90 then
        raise invalid_parameter_value using message = 'catalogue changes are kept for at least 90 days';
      end if;
      delete from public.catalogue_changes g
      where g.change_id = any(array(
        select o.change_id
        from (
          select c.change_id, c.changed_at from public.catalogue_changes c
          order by c.change_id limit 1000 for update skip locked
        ) o
        where o.changed_at < now() - make_interval(days => kept_days)
      ));
      get diagnostics deleted = row_count;
      return deleted;
    end
  $$;
