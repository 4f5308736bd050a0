-- Ends the caller's session, or with a null session_id all of the caller's sessions.
with own as (
  select session_id from operator_sessions
  where owner = :owner and ended_at is null and (:session_id::bigint is null or session_id = :session_id)
  order by session_id
  for no key update
), ended as (
  update operator_sessions s set ended_at = now(), ended_by = :actor, changed_at = now()
  from own
  where s.session_id = own.session_id
  returning s.session_id, s.key_id
), audited as (
  insert into audit_entries (audit_action, key_id, session_id, actor, request_id)
  select 'session_ended', key_id, session_id, :actor, :request_id from ended
)
select count(*) as sessions_ended from ended
