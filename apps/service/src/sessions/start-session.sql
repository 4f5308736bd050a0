-- Stores a new session. Its id was drawn before, because the id is part of the token that was digested.
-- The owner has at most 20 live ones: the oldest end. Of sign-ins at the same moment, each may leave one more.
-- Sessions that expired three months ago are deleted here, a few at a time: the audit log keeps that they existed.
with started as (
  insert into operator_sessions (session_id, owner, operator_id, key_id, role, digest, expires_at, idle_seconds)
  select :session_id, :owner, o.operator_id, :key_id, :role, :digest,
    now() + :lasts_seconds::integer * interval '1 second', :idle_seconds
  from operators o
  where o.operator_id = :operator_id and o.erased_at is null
  for share -- erase_operator ends the sessions that there are.
  returning *
), swept as (
  delete from operator_sessions
  where session_id in (
    select session_id from operator_sessions
    where expires_at < now() - interval '90 days'
    order by expires_at
    limit 10
    for update skip locked
  )
), crowded as (
  select session_id from operator_sessions
  where session_id in (
    select session_id from operator_sessions
    where owner = :owner and ended_at is null and expires_at > now()
    order by session_id desc
    offset 19 -- Before the new one.
  ) and ended_at is null -- Another sign-in may end them at the same time.
  order by session_id
  for no key update
), ended as (
  update operator_sessions s set ended_at = now(), ended_by = :actor, changed_at = now()
  from crowded
  where s.session_id = crowded.session_id
  returning s.session_id, s.key_id
), audited as (
  insert into audit_entries (audit_action, key_id, session_id, new_value, actor, request_id)
  select 'session_started', key_id, session_id, jsonb_build_object('role', role, 'expires_at', expires_at), :actor,
    :request_id
  from started
  union all
  select 'session_ended', key_id, session_id, null, :actor, :request_id from ended
)
select -- include session-columns.part.sql
from started s
join shown_operators o on o.operator_id = s.operator_id
