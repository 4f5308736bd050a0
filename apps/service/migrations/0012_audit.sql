-- No act without a trace: audit entries say what was changed, are numbered in the order of their commits, cannot be
-- changed by the role of the service, and are sealed day by day (decision 24).

-- What the action was about, as ids, and what of it was before and after. Neither holds a person's name.
alter table audit_entries add column subject jsonb;
alter table audit_entries add column old_value jsonb;
alter table audit_entries add column new_value jsonb;

-- One row for each finished day (UTC) that has entries. hash covers the entries and previous_hash: audit_hash.
-- dropped_at says that the entries have expired; the seal stays.
create table audit_seals (
  day date not null,
  first_id bigint not null,
  last_id bigint not null,
  entries bigint not null,
  previous_hash bytea,
  hash bytea not null,
  sealed_at timestamptz not null default now(),
  dropped_at timestamptz,
  constraint audit_seals_pkey primary key (day),
  constraint audit_seals_hash check (length(hash) = 32)
);

-- Numbers entries without gaps and in the order of their commits: the lock is held until the transaction ends. So a
-- reader that has seen an entry misses none before it, and an entry that is deleted leaves a gap. The time is taken
-- under the lock too, so that it rises with the number: the session that holds the lock after midnight sees the whole
-- day. This is the last lock of a transaction (decision 3). Entries are rare.
alter table audit_entries alter column audit_id drop identity;

-- enable_seqscan: a plan that a session made while the table was small would read all of a large one for each entry.
create function number_audit_entry() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  last_id bigint;
  last_at timestamptz;
  sealed_id bigint;
  sealed_until timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('audit_entries', 0));
  select a.audit_id, a.audit_datetime into last_id, last_at
  from public.audit_entries a order by a.audit_id desc limit 1;
  select s.last_id, (s.day + 1)::timestamp at time zone 'UTC' into sealed_id, sealed_until
  from public.audit_seals s order by s.day desc limit 1;
  new.audit_id := greatest(last_id, sealed_id, 0) + 1;
  new.audit_datetime := greatest(clock_timestamp(), last_at, sealed_until); -- A clock may be set back.
  return new;
end $$;

create trigger audit_entries_number before insert on audit_entries
  for each row execute function number_audit_entry();

-- The hash of a seal: SHA-256 over the seal before, what the seal says, and the SHA-256 of each entry in its order. An
-- entry is the JSON array of its columns as jsonb writes it, with the time in seconds since 1970, in UTF-8. A column
-- that is added later is not covered: it would change the hashes of earlier days.
create function audit_hash(s audit_seals) returns bytea stable language sql as $$
  select sha256(coalesce(s.previous_hash, '')
    || convert_to(jsonb_build_array(s.day, s.first_id, s.last_id, s.entries)::text, 'UTF8')
    || coalesce(string_agg(sha256(convert_to(jsonb_build_array(a.audit_id, a.audit_action,
      extract(epoch from a.audit_datetime), a.client_id, a.contact_id, a.key_id, a.session_id, a.operator_id,
      a.subject, a.old_value, a.new_value, a.actor, a.request_id)::text, 'UTF8')), ''::bytea order by a.audit_id), ''))
  from public.audit_entries a
  where a.audit_id between s.first_id and s.last_id
$$;

-- Seals the oldest finished day that is not sealed, and returns how many entries it has; 0 if there is none.
-- Security definer, as the functions below: the role of the service may not do it on its own.
create function seal_audit_day() returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    declare
      s public.audit_seals;
      last_id bigint;
    begin
      if not has_table_privilege(session_user, 'public.audit_entries', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table audit_entries';
      end if;
      perform pg_advisory_xact_lock(hashtextextended('audit_entries', 0));
      select l.last_id, l.hash into last_id, s.previous_hash
      from public.audit_seals l order by l.day desc limit 1 for update;
      select a.audit_id, (a.audit_datetime at time zone 'UTC')::date into s.first_id, s.day
      from public.audit_entries a where a.audit_id > coalesce(last_id, 0) order by a.audit_id limit 1;
      if s.day is null or s.day >= (clock_timestamp() at time zone 'UTC')::date then
        return 0;
      end if;
      select max(a.audit_id), count(*) into s.last_id, s.entries
      from public.audit_entries a
      where a.audit_id >= s.first_id and a.audit_datetime < (s.day + 1)::timestamp at time zone 'UTC';
      insert into public.audit_seals (day, first_id, last_id, entries, previous_hash, hash)
      values (s.day, s.first_id, s.last_id, s.entries, s.previous_hash, public.audit_hash(s));
      return s.entries;
    end
  $$;

-- Drops the entries of the oldest sealed day, if it ended more than kept_days ago, and returns how many; 0 if there is
-- none. Its seal stays. Fewer than 90 days are refused, so that nobody who has taken over the service removes what it
-- did there.
create function drop_audit_day(kept_days integer) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    declare
      s public.audit_seals;
      dropped bigint;
    begin
      if not has_table_privilege(session_user, 'public.audit_entries', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table audit_entries';
      end if;
      if kept_days < 90 then
        raise invalid_parameter_value using message = 'audit entries are kept for at least 90 days';
      end if;
      select * into s from public.audit_seals l where l.dropped_at is null order by l.day limit 1 for update;
      if s.day is null or s.day >= (clock_timestamp() at time zone 'UTC')::date - kept_days then
        return 0;
      end if;
      delete from public.audit_entries a where a.audit_id between s.first_id and s.last_id;
      get diagnostics dropped = row_count;
      update public.audit_seals l set dropped_at = now() where l.day = s.day;
      return dropped;
    end
  $$;

-- Replaces the names of an erased contact in these of its client's events, and returns in how many: erase_contact.
create function erase_event_names(client bigint, contact bigint, event_numbers bigint[]) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    declare
      erased bigint;
    begin
      if not has_table_privilege(session_user, 'public.events', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table events';
      end if;
      update public.events e set data = e.data || jsonb_build_object('contact_name', public.erased_name())
      where e.client_id = client and e.event_number = any(event_numbers) and e.data -> 'contact_id' = to_jsonb(contact)
        and e.data ->> 'contact_name' <> public.erased_name();
      get diagnostics erased = row_count;
      return erased;
    end
  $$;

-- Replaces "operator key 12, Anna Berg", by which earlier versions stored who acted, by "operator 7 key 12" in the
-- events whose actor is like one of these: erase_operator.
create function erase_event_actors(actors text[]) returns void
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    begin
      if not has_table_privilege(session_user, 'public.events', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table events';
      end if;
      update public.events e set actor = public.operator_by_id(e.actor)
      where e.actor like 'operator %' and e.actor like any (actors);
    end
  $$;

-- Takes privileges on a table from every role but its owner, whatever it was given by default.
create function keep_for_owner(target regclass, privileges text) returns void language plpgsql as $$
declare
  one record;
begin
  for one in
    select distinct case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as role
    from pg_class t, aclexplode(t.relacl) a
    where t.oid = target and a.grantee <> t.relowner
  loop
    execute format('revoke %s on %s from %s', privileges, target, one.role);
  end loop;
end $$;

-- What a role that is not the owner has written stays as it is.
select keep_for_owner('audit_entries', 'update, delete, truncate');
select keep_for_owner('catalogue_changes', 'update, delete, truncate');
select keep_for_owner('events', 'update, delete, truncate');
select keep_for_owner('events_before', 'update, delete, truncate');
select keep_for_owner('audit_seals', 'insert, update, delete, truncate');

-- As in 0007_events.sql, for a role that may add events and not delete them: only the guard is another one, and the new
-- table is kept for its owner.
create or replace function turn_event_tables(kept_days integer) returns text
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '200ms' -- As migrations: orders may be delayed by this much.
  as $$
    declare
      owner name;
      settings text;
      one record;
    begin
      if not has_table_privilege(session_user, 'public.events', 'insert') then
        raise insufficient_privilege using message = 'permission denied for table events';
      end if;
      -- A second process would find the tables turned, and must see that: each statement needs its own snapshot.
      if current_setting('transaction_isolation') <> 'read committed' then
        raise invalid_transaction_state using message = 'turn_event_tables needs read committed';
      end if;
      if not pg_try_advisory_xact_lock(hashtextextended('turn_event_tables', 0)) then
        return 'not due';
      end if;
      if exists (
        select from public.clients c
        where c.first_event_number
          <= (select max(b.event_number) from public.events_before b where b.client_id = c.client_id)
      ) then
        return 'not due';
      end if;
      if not exists (select from public.events_before) and coalesce((
        select e.event_datetime from public.events e order by e.transaction_id, e.client_id, e.event_number limit 1
      ), 'infinity') > now() - make_interval(days => kept_days) then
        return 'not due';
      end if;

      -- A long reader, such as pg_dump, has locked both tables. It is noticed here, where no order waits behind us: the
      -- lock is given back at once.
      begin
        lock table only public.events_before in access exclusive mode;
        raise sqlstate 'PT000';
      exception when sqlstate 'PT000' then
        null;
      end;

      create table public.events_next (like public.events including all excluding indexes);
      select r.rolname, array_to_string(t.reloptions, ', ') into owner, settings
      from pg_class t join pg_roles r on r.oid = t.relowner where t.oid = to_regclass('public.events');
      execute format('alter table public.events_next owner to %I', owner);
      if settings is not null then
        execute format('alter table public.events_next set (%s)', settings);
      end if;
      for one in
        select a.privilege_type, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end as role
        from pg_class t, aclexplode(t.relacl) a
        where t.oid = to_regclass('public.events') and a.grantee <> t.relowner
      loop
        execute format('grant %s on public.events_next to %s', one.privilege_type, one.role);
      end loop;
      perform public.keep_for_owner(to_regclass('public.events_next'), 'update, delete, truncate');
      for one in
        select c.relname as name, x.indisunique as is_unique, x.indisprimary as is_primary,
          substring(pg_get_indexdef(x.indexrelid) from ' USING .*$') as definition
        from pg_index x join pg_class c on c.oid = x.indexrelid
        where x.indrelid = to_regclass('public.events') and x.indisvalid
      loop
        execute format('create %s index %I on public.events_next %s',
          case when one.is_unique then 'unique' else '' end, one.name || '_next', one.definition);
        if one.is_primary then
          execute format('alter table public.events_next add constraint %1$I primary key using index %1$I',
            one.name || '_next');
        end if;
      end loop;

      lock table only public.events in access exclusive mode; -- First, as those who read both tables do.
      drop table public.events_before;
      for one in
        select c.relname as name from pg_index x join pg_class c on c.oid = x.indexrelid
        where x.indrelid = to_regclass('public.events') and x.indisvalid
      loop
        execute format('alter index public.%I rename to %I', one.name, one.name || '_before');
        execute format('alter index public.%I rename to %I', one.name || '_next', one.name);
      end loop;
      alter table public.events rename to events_before;
      alter table public.events_next rename to events;
      alter table public.events_before inherit public.events;
      return 'done';
    exception when lock_not_available then
      return 'in use by ' || coalesce((
        select string_agg(distinct 'process ' || l.pid, ', ') from pg_locks l
        where l.relation in (to_regclass('public.events'), to_regclass('public.events_before')) and l.granted
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.pid <> pg_backend_pid()
      ), 'a process that has ended');
    end
  $$;
