-- Erases the name of an operator and its subject at the identity provider, revokes its keys and ends its sessions.
-- What it did stays, under its id. An operator that is erased already is left as it is. Lock order: operator, keys by
-- id, sessions by id.
create or replace function erase_operator(
  operator bigint,
  actor text,
  request_id text,
  out operator_name text,   -- What is shown instead of its name.
  out revoked_keys bigint,
  out ended_sessions bigint,
  out refused json
) language plpgsql as $$
declare
  held operators;
  keys bigint[];
  sessions bigint[];
  named text[];             -- The beginnings of texts by which earlier versions stored it.
begin
  select * into held from operators o where o.operator_id = operator for update;
  if not found then
    refused := refusal('operator_not_found', json_build_object('operator_id', operator));
    return;
  end if;
  revoked_keys := 0;
  ended_sessions := 0;
  if held.erased_at is null then
    -- 1. The operator, its keys and its sessions. Nobody issues a key or starts a session for it any more.
    update operators o set operator_name = null, subject = null, erased_at = now() where o.operator_id = operator;
    select coalesce(array_agg(k.key_id), '{}') into keys
    from (
      select k.key_id from operator_keys k
      where k.operator_id = operator and k.revoked_at is null
      order by k.key_id for no key update
    ) k;
    update operator_keys k set revoked_at = now(), revoked_by = erase_operator.actor, changed_at = now()
    where k.key_id = any(keys);
    select coalesce(array_agg(s.session_id), '{}') into sessions
    from (
      select s.session_id from operator_sessions s
      where s.operator_id = operator and s.ended_at is null
      order by s.session_id for no key update
    ) s;
    update operator_sessions s set ended_at = now(), ended_by = erase_operator.actor, changed_at = now()
    where s.session_id = any(sessions);
    revoked_keys := cardinality(keys);
    ended_sessions := cardinality(sessions);

    -- 2. Texts with its name, which an earlier version of the service has stored.
    if held.stored_by_name then
      select coalesce(array_agg(x.text), '{}') into named
      from (
        select 'operator key ' || k.key_id || ', %' as text from operator_keys k where k.operator_id = operator
        union all
        select 'operator session ' || s.session_id || ', %' from operator_sessions s where s.operator_id = operator
      ) x;
      perform erase_event_actors(named);
      update order_notes m set note_author = operator_by_id(m.note_author) where m.note_author like any (named);
      update adjustments a set decided_by = operator_by_id(a.decided_by) where a.decided_by like any (named);
      update shipments p set shipped_by = operator_by_id(p.shipped_by) where p.shipped_by like any (named);
      update order_returns r set returned_by = operator_by_id(r.returned_by) where r.returned_by like any (named);
      update imports i set actor = operator_by_id(i.actor) where i.actor like any (named);
      update operator_keys k set issued_by = operator_by_id(k.issued_by), revoked_by = operator_by_id(k.revoked_by)
      where k.issued_by like any (named) or k.revoked_by like any (named);
      update operator_sessions s set ended_by = operator_by_id(s.ended_by) where s.ended_by like any (named);
      update operator_views v set owner_name = '' where v.owner_name = held.operator_name;
      update reject_reasons j set changed_by = null where j.changed_by = held.operator_name;
      delete from operator_idempotency_keys i where i.actor like any (named);
    end if;

    insert into audit_entries (audit_action, operator_id, key_id, session_id, actor, request_id)
    select x.audit_action, operator, x.key_id, x.session_id, erase_operator.actor, erase_operator.request_id
    from (
      select 'operator_erased' as audit_action, null::bigint as key_id, null::bigint as session_id
      union all
      select 'operator_key_revoked', k.key_id, null from unnest(keys) k (key_id)
      union all
      select 'session_ended', null, s.session_id from unnest(sessions) s (session_id)
    ) x;
  end if;
  select o.operator_name into operator_name from shown_operators o where o.operator_id = operator;
end $$;
