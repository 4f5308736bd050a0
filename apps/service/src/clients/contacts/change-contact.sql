-- As in create-contact.sql, the event does not contain the email address.
with changed as (
  update contacts set contact_name = coalesce(:contact_name, contact_name),
    contact_email = coalesce(:contact_email, contact_email)
  where client_id = :client_id and contact_id = :contact_id
  returning client_id, contact_id, contact_name, contact_email
), happened as (
  select client_id, 0 as place, 'contact.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('contact_id', contact_id, 'contact_name', contact_name) as data
  from changed
), -- include ../../events/record-events.part.sql
)
select contact_id, contact_name, contact_email from changed
