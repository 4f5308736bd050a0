-- The audit log. Exactly one of the branches runs (:way) and walks one index from the page's start; the remaining
-- filters are tested on each entry. Newest first, or from a position on (:way is 'after') oldest first. Names are the
-- present ones.
with page as (
  (
    select a.* from audit_entries a
    where :way = 'after' and a.audit_id > :from_id
      and (:client_id::bigint is null or a.client_id = :client_id)
      and (:audit_action::text is null or a.audit_action = :audit_action)
      and (:actor::text is null or a.actor = :actor)
      and (:operator_id::bigint is null or acting_operator(a.actor) = :operator_id)
    order by a.audit_id
    limit :page_size
  )
  union all
  (
    select a.* from audit_entries a
    where :way = 'all' and a.audit_id < :from_id
    order by a.audit_id desc
    limit :page_size
  )
  union all
  (
    select a.* from audit_entries a
    where :way = 'client' and a.client_id = :client_id and a.audit_id < :from_id
      and (:audit_action is null or a.audit_action = :audit_action)
      and (:actor is null or a.actor = :actor)
      and (:operator_id is null or acting_operator(a.actor) = :operator_id)
    order by a.audit_id desc
    limit :page_size
  )
  union all
  (
    select a.* from audit_entries a
    where :way = 'actor' and a.actor = :actor and a.audit_id < :from_id
      and (:audit_action is null or a.audit_action = :audit_action)
      and (:operator_id is null or acting_operator(a.actor) = :operator_id)
    order by a.audit_id desc
    limit :page_size
  )
  union all
  (
    select a.* from audit_entries a
    where :way = 'operator' and acting_operator(a.actor) = :operator_id and a.audit_id < :from_id
      and (:audit_action is null or a.audit_action = :audit_action)
    order by a.audit_id desc
    limit :page_size
  )
  union all
  (
    select a.* from audit_entries a
    where :way = 'action' and a.audit_action = :audit_action and a.audit_id < :from_id
    order by a.audit_id desc
    limit :page_size
  )
)
select a.audit_id, a.audit_action, a.audit_datetime, a.client_id, c.client_name, a.contact_id, p.contact_name,
  a.key_id, a.session_id, o.operator_id, o.operator_name, a.subject, a.old_value, a.new_value,
  shown_actor(a.actor) as actor, case when b.operator_id is not null then jsonb_build_object('operator_id',
    b.operator_id, 'operator_name', b.operator_name, 'issuer', b.issuer, 'subject', b.subject) end as actor_operator,
  a.request_id
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
left join shown_operators b on b.operator_id = acting_operator(a.actor)
order by case :way when 'after' then a.audit_id else -a.audit_id end
