-- The audit log, newest first: of one client, or with a null client_id all of it. Each of the two has its own index.
-- Names are the present ones.
with page as (
  (
    select audit_id, audit_action, audit_datetime, client_id, contact_id, key_id, session_id, operator_id, actor,
      request_id
    from audit_entries
    where :client_id::bigint is null and audit_id < :before_id
    order by audit_id desc
    limit :page_size
  )
  union all
  (
    select audit_id, audit_action, audit_datetime, client_id, contact_id, key_id, session_id, operator_id, actor,
      request_id
    from audit_entries
    where client_id = :client_id and audit_id < :before_id
    order by audit_id desc
    limit :page_size
  )
)
select a.audit_id, a.audit_action, a.audit_datetime, a.client_id, c.client_name, a.contact_id, p.contact_name,
  a.key_id, a.session_id, o.operator_id, o.operator_name, shown_actor(a.actor) as actor,
  case when b.operator_id is not null then jsonb_build_object('operator_id', b.operator_id, 'operator_name',
    b.operator_name, 'issuer', b.issuer, 'subject', b.subject) end as actor_operator, a.request_id
from page a
left join lateral (
  select c.client_name from clients c where c.client_id = a.client_id
) c on true
left join lateral (
  select p.contact_name from contacts p
  where p.client_id = a.client_id and p.contact_id = a.contact_id
) p on true
left join operator_keys k on k.key_id = a.key_id and a.client_id is null
left join operator_sessions s on s.session_id = a.session_id
left join shown_operators o on o.operator_id = coalesce(a.operator_id, s.operator_id, k.operator_id)
left join shown_operators b on b.operator_id = substring(a.actor from '^operator (\d+) ')::bigint
order by a.audit_id desc
