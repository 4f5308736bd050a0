-- What happened, numbered for each client without gaps. actor and request_id make it the audit log as well.
-- transaction_id orders the events of all clients: everything before the oldest running transaction is complete.
--
-- Events are kept in two tables, so that they expire by dropping a table (decision 11). New events are stored in
-- `events`. `events_before` inherits from it: what reads `events` reads both, and what inserts does not touch it.
-- Both always exist. An index of one has a counterpart in the other: events_of_all, events_of_all_before.

create table events (
  client_id bigint not null,
  event_number bigint not null,
  event_type text not null,
  event_datetime timestamptz not null default now(),
  transaction_id xid8 not null default pg_current_xact_id(),
  order_id bigint,
  data jsonb not null,
  actor text not null,
  request_id text not null,
  constraint events_pkey primary key (client_id, event_number)
) with (autovacuum_vacuum_scale_factor = 0.02); -- 0005_orders.sql says why.
create table events_before (
  constraint events_pkey_before primary key (client_id, event_number)
) inherits (events);

-- The feed of all clients (list-all-events.sql).
create index events_of_all on events (transaction_id, client_id, event_number);
create index events_of_all_before on events_before (transaction_id, client_id, event_number);

-- The log of what happened (list-log.sql): of an order, of a type, of an operator. Placing an order pays for the first,
-- always at its end.
create index events_of_order on events (order_id, event_number) where order_id is not null;
create index events_of_order_before on events_before (order_id, event_number) where order_id is not null;
create index events_of_type on events (event_type, event_datetime, client_id, event_number)
  where event_type <> 'order.created';
create index events_of_type_before on events_before (event_type, event_datetime, client_id, event_number)
  where event_type <> 'order.created';
create index events_of_operator on events (actor, event_datetime, client_id, event_number)
  where actor like 'operator %';
create index events_of_operator_before on events_before (actor, event_datetime, client_id, event_number)
  where actor like 'operator %';

-- Up to where the feed of all events has expired: a reader with an older cursor has missed events. One row, once
-- something has expired. generation counts how often positions were renumbered: cursors of an earlier generation are
-- refused.
create table event_feed (
  is_one boolean not null default true,
  generation integer not null default 0,
  expired_transaction xid8 not null,
  expired_client bigint not null,
  expired_number bigint not null,
  constraint event_feed_pkey primary key (is_one),
  constraint event_feed_is_one check (is_one)
);

-- Drops events_before, sets `events` aside under its name, and begins an empty `events`. Does so only when every event
-- in events_before has expired (no client's first_event_number is before it); if there is none, when the oldest event
-- is older than kept_days. Returns 'done', 'not due', or 'in use by' the process that keeps a table locked.
-- Security definer, since the role of the service cannot change the schema: the guard above is in here, and a role
-- that may not delete events may not call it.
create function turn_event_tables(kept_days integer) returns text
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '200ms' -- As migrations: orders may be delayed by this much.
  as $$
    declare
      owner name;
      settings text;
      one record;
    begin
      if not has_table_privilege(session_user, 'public.events', 'delete') then
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
