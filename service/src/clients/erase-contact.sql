-- Erases the personal data of a contact, and revokes its keys. What was ordered, by which contact id, stays. If there
-- is nothing left to erase, nothing changes. Locks are taken in the order contact, keys by id, orders by id,
-- adjustments, client, events: the client before its events, as in expire-events.sql. Every other statement locks the
-- adjustments of one order only, so those need no order.
with seen as materialized (
  select client_id, contact_id, xmin as row_version from contacts
  where client_id = :client_id and contact_id = :contact_id
), contact as materialized ( -- If the row is the one seen, no event with a newer name of the contact is missing below.
  select p.client_id, p.contact_id, p.contact_name, p.contact_email
  from seen s
  join contacts p on p.client_id = s.client_id and p.contact_id = s.contact_id
  where p.xmin = s.row_version
  for no key update of p
), erased as (
  update contacts p set contact_name = :erased_name, contact_email = null
  from contact c
  where p.client_id = c.client_id and p.contact_id = c.contact_id
    and (c.contact_name <> :erased_name or c.contact_email is not null)
  returning p.contact_id
), forgotten as (          -- The stored answer to the request that created the contact; there are few, for 24 hours.
  delete from operator_idempotency_keys k
  using contact c
  where k.operation = 'create-contact' and (k.answer ->> 'contact_id')::bigint = c.contact_id
), valid_keys as materialized (
  select k.client_id, k.key_id
  from contact c
  join api_keys k on k.client_id = c.client_id and k.contact_id = c.contact_id
  where k.revoked_at is null
  order by k.key_id
  for no key update of k
), revoked as (
  update api_keys k set revoked_at = now(), changed_at = now()
  from valid_keys v
  where k.client_id = v.client_id and k.key_id = v.key_id
  returning k.key_id
), commented as materialized (
  select o.client_id, o.order_id
  from contact c
  join orders o on o.client_id = c.client_id and o.order_contact_id = c.contact_id
  where o.comment is not null and (select count(*) from revoked) >= 0 -- chained: revoked first
  order by o.order_id
  for no key update of o
), uncommented as (
  update orders o set comment = null
  from commented c
  where o.client_id = c.client_id and o.order_id = c.order_id
  returning o.order_id
), reasoned as materialized (
  select a.order_id, a.adjustment_id
  from contact c
  cross join lateral (
    select a.order_id, a.adjustment_id from adjustments a
    where a.client_id = c.client_id and a.reason is not null
    offset 0 -- lookup fence
  ) a
  join orders o on o.client_id = c.client_id and o.order_id = a.order_id and o.order_contact_id = c.contact_id
), unreasoned as (
  update adjustments a set reason = null
  from reasoned r
  where a.client_id = :client_id and a.order_id = r.order_id and a.adjustment_id = r.adjustment_id
    and (select count(*) from uncommented) >= 0 -- chained: uncommented first
  returning a.adjustment_id
), naming as (             -- Events that contain a name of the contact, the present one or an earlier one.
  select e.event_number
  from contact c
  join events e on e.client_id = c.client_id
  where e.event_type in ('contact.created', 'contact.changed') and e.data -> 'contact_id' = to_jsonb(c.contact_id)
    and e.data ->> 'contact_name' <> :erased_name
), counted as (
  select (select count(*) from erased) as contacts, (select count(*) from revoked) as keys,
    (select count(*) from uncommented) as comments, (select count(*) from unreasoned) as reasons,
    (select count(*) from naming) as events
), happened as (
  select c.client_id, 0 as place, 'contact.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('contact_id', c.contact_id, 'contact_name', :erased_name::text) as data
  from contact c, counted n
  where n.contacts + n.keys + n.comments + n.reasons + n.events > 0
  union all
  select c.client_id, r.key_id, 'key.revoked', null, jsonb_build_object('key_id', r.key_id, 'contact_id', c.contact_id)
  from contact c, revoked r
), audited as (
  insert into audit_entries (audit_action, client_id, contact_id, key_id, actor, request_id)
  select case h.event_type when 'key.revoked' then 'key_revoked' else 'contact_erased' end, h.client_id, :contact_id,
    (h.data ->> 'key_id')::bigint, :actor, :request_id
  from happened h
  order by h.place
), -- include ../events/record-events.part.sql
), renamed as (
  update events e set data = e.data || jsonb_build_object('contact_name', :erased_name::text)
  from numbered n, naming
  where e.client_id = n.client_id and e.event_number = naming.event_number
)
select c.contact_id, :erased_name::text as contact_name, n.keys as revoked_keys, n.comments as erased_comments,
  n.reasons as erased_reasons, n.events as erased_events
from contact c, counted n
