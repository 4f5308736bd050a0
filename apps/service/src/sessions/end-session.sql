-- Ends a session. If it has ended already, nothing changes, and the answer is the same.
with ended as (
  update operator_sessions set ended_at = now(), ended_by = :actor, changed_at = now()
  where session_id = :session_id and ended_at is null
  returning *
), audited as (
  insert into audit_entries (audit_action, key_id, session_id, actor, request_id)
  select 'session_ended', key_id, session_id, :actor, :request_id from ended
)
select -- include session-columns.part.sql
from (
  select * from ended
  union all
  select * from operator_sessions where session_id = :session_id and ended_at is not null
) s
join shown_operators o on o.operator_id = s.operator_id
