-- Erases the personal data of a contact, and revokes its keys. What was ordered, by which contact id, stays. Its orders
-- are listed for the worker, which erases their addresses when they are done (erase_addresses.sql). If there is
-- nothing left to erase, nothing changes. Lock order: contact, keys by id, orders by id, adjustments, client, events
-- (the client before its events, as in expire-events.sql). Adjustments need no order: their orders are held.
create or replace function erase_contact(
  client bigint,
  contact bigint,
  actor text,
  request_id text,
  out contact_name text,   -- What is shown instead of its name.
  out revoked_keys bigint,
  out erased_comments bigint,
  out erased_reasons bigint,
  out erased_events bigint,
  out refused json
) language plpgsql as $$
declare
  held contacts;
  keys bigint[];
  named bigint[];        -- The events that have a name of it, the present one or an earlier one.
  erased boolean;        -- Whether there was anything to erase.
begin
  select * into held from contacts p where p.client_id = client and p.contact_id = contact for no key update;
  if not found then
    refused := case when exists (select from clients n where n.client_id = client)
      then refusal('contact_not_found', json_build_object('client_id', client, 'contact_id', contact))
      else refusal('client_not_found', json_build_object('client_id', client)) end;
    return;
  end if;

  contact_name := erased_name();

  -- 1. The contact, the stored answer to the request that created it, and its keys.
  update contacts p set contact_name = erased_name(), contact_email = null
  where p.client_id = client and p.contact_id = contact
    and (p.contact_name <> erased_name() or p.contact_email is not null);
  update operator_idempotency_keys r -- A repetition must not create the contact again.
  set answer = json_build_object('contact_id', contact, 'contact_name', erased_name(), 'contact_email', null)
  where r.operation = 'create-contact' and (r.answer ->> 'contact_id')::bigint = contact
    and (r.answer ->> 'contact_name' <> erased_name() or r.answer ->> 'contact_email' is not null);
  select coalesce(array_agg(k.key_id), '{}') into keys
  from (
    select k.key_id from api_keys k
    where k.client_id = client and k.contact_id = contact and k.revoked_at is null
    order by k.key_id for no key update
  ) k;
  update api_keys k set revoked_at = now(), changed_at = now() where k.client_id = client and k.key_id = any(keys);
  revoked_keys := cardinality(keys);

  -- 2. Find its events before the client's row is locked, since that reads all events of the client. There will be no
  --    further one: who changes a contact holds its row.
  select coalesce(array_agg(e.event_number), '{}') into named from events e
  where e.client_id = client and e.data -> 'contact_id' = to_jsonb(contact)
    and e.data ->> 'contact_name' <> erased_name();

  -- 3. What its orders say in its words. When the client's row is locked, no order of the client is placed any more,
  --    and one that waits for it erases its own words (erase_new_order). Those that were placed meanwhile are erased
  --    then.
  select * into erased_comments, erased_reasons from erase_words(client, contact);
  perform from clients n where n.client_id = client for no key update;
  select erased_comments + w.comments, erased_reasons + w.reasons into erased_comments, erased_reasons
  from erase_words(client, contact) w;
  delete from addresses d where d.client_id = client and d.contact_id = contact;

  -- 4. Its events.
  erased_events := erase_event_names(client, contact, named);

  erased := held.contact_name <> erased_name() or held.contact_email is not null or revoked_keys > 0
    or erased_comments > 0 or erased_reasons > 0 or erased_events > 0;
  if not erased then return; end if;
  insert into audit_entries (audit_action, client_id, contact_id, key_id, actor, request_id)
  select x.audit_action, client, contact, x.key_id, erase_contact.actor, erase_contact.request_id
  from (
    select 'contact_erased' as audit_action, null::bigint as key_id
    union all
    select 'key_revoked', k.key_id from unnest(keys) k (key_id)
  ) x;
  perform record_events(client, null,
    'contact.changed'::text || array_fill('key.revoked'::text, array[cardinality(keys)]),
    jsonb_build_object('contact_id', contact, 'contact_name', erased_name()) || array(
      select jsonb_build_object('key_id', k.key_id, 'contact_id', contact) from unnest(keys) k (key_id)),
    actor, request_id);
end $$;

-- Erases the comments of a contact's orders and the reasons of their adjustments and returns, and lists the
-- orders for the worker.
create or replace function erase_words(client bigint, contact bigint, out comments bigint, out reasons bigint)
  language plpgsql as $$
declare
  return_reasons bigint;
begin
  insert into orders_to_erase (client_id, order_id)
  select o.client_id, o.order_id from orders o
  where o.client_id = client and o.order_contact_id = contact
  on conflict do nothing;
  perform from orders o
  where o.client_id = client and o.order_contact_id = contact and (o.comment is not null
    or o.order_id in (select a.order_id from adjustments a where a.client_id = client and a.reason is not null)
    or o.order_id in (select q.order_id from return_requests q where q.client_id = client and q.reason <> ''))
  order by o.order_id for no key update;
  update orders o set comment = null
  where o.client_id = client and o.order_contact_id = contact and o.comment is not null;
  get diagnostics comments = row_count;
  update adjustments a set reason = null
  from orders o
  where a.client_id = client and a.reason is not null
    and o.client_id = client and o.order_id = a.order_id and o.order_contact_id = contact;
  get diagnostics reasons = row_count;
  update return_requests q set reason = ''
  from orders o
  where q.client_id = client and q.reason <> ''
    and o.client_id = client and o.order_id = q.order_id and o.order_contact_id = contact;
  get diagnostics return_reasons = row_count;
  reasons := reasons + return_reasons;
end $$;

-- What is shown instead of the name of a contact that was erased.
create or replace function erased_name() returns text immutable language sql as $$
  select 'Erased contact'
$$;

-- Erases the comment of an order that was just placed for an erased contact, and lists the order for the worker.
create or replace function erase_new_order(client bigint, placed bigint) returns void language plpgsql as $$
begin
  update orders o set comment = null
  where o.client_id = client and o.order_id = placed and o.comment is not null;
  insert into orders_to_erase (client_id, order_id) values (client, placed);
end $$;

-- Whether a contact that writes something was erased, perhaps while it wrote: nothing of it is kept then. It is asked
-- when the client's row is locked, since erase_contact erases until then.
create or replace function is_erased(client bigint, contact bigint) returns boolean language plpgsql as $$
begin
  return exists (
    select from contacts p
    where p.client_id = client and p.contact_id = contact and p.contact_name = erased_name());
end $$;
