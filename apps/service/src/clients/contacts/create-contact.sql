-- The event names the contact, so that erase_contact.sql finds the name, and leaves out the email address.
with created as (
  insert into contacts (client_id, contact_name, contact_email)
  select client_id, :contact_name, :contact_email from clients
  where client_id = :client_id
  returning client_id, contact_id, contact_name, contact_email
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'create-contact', :idempotency_key, :request_digest, row_to_json(created)
  from created
  where :idempotency_key::text is not null
), happened as (
  select client_id, 0 as place, 'contact.created' as event_type, null::bigint as order_id,
    jsonb_build_object('contact_id', contact_id, 'contact_name', contact_name) as data
  from created
), -- include ../../events/record-events.part.sql
)
select contact_id, contact_name, contact_email from created
