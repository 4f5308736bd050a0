-- How many audit entries and seals there have been, so that those missing at the end are noticed too. The row is locked
-- by who adds an entry until its transaction ends; so it is the lock under which entries are numbered (decision 24).
create table audit_counter (
  last_id bigint not null,
  last_at timestamptz not null, -- No later entry has an earlier time, and none falls into a sealed day.
  seals bigint not null
) with (fillfactor = 10);
select keep_for_owner('audit_counter', 'insert, update, delete, truncate');

lock table audit_entries in share row exclusive mode -- For an instant: until what is numbered is counted.
;
insert into audit_counter (last_id, last_at, seals)
select greatest((select max(audit_id) from audit_entries), max(s.last_id), 0),
  greatest((select audit_datetime from audit_entries order by audit_id desc limit 1),
    (max(s.day) + 1)::timestamp at time zone 'UTC', '-infinity'),
  count(distinct s.day)
from audit_seals s;

create or replace function number_audit_entry() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
  as $$
    begin
      update public.audit_counter c
      set last_id = c.last_id + 1, last_at = greatest(clock_timestamp(), c.last_at) -- A clock may be set back.
      returning c.last_id, c.last_at into strict new.audit_id, new.audit_datetime;
      return new;
    end
  $$;

-- Seals the oldest finished day that is not sealed, and returns how many entries it has; 0 if there is none.
create or replace function seal_audit_day() returns bigint
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
      perform from public.audit_counter for update;
      select l.last_id, l.hash into last_id, s.previous_hash
      from public.audit_seals l order by l.day desc limit 1;
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
      update public.audit_counter c
      set last_at = greatest(c.last_at, (s.day + 1)::timestamp at time zone 'UTC'), seals = c.seals + 1;
      return s.entries;
    end
  $$;
