-- As create-contact.sql: the log does not tell the address.
with changed as (
  update contacts set contact_name = coalesce(:contact_name, contact_name), contact_email = coalesce(:contact_email, contact_email)
  where client_id = :client_id and contact_id = :contact_id
  returning client_id, contact_id, contact_name, contact_email
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from changed x
  where c.client_id = x.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, x.client_id, n.event_number, 'contact.changed',
    jsonb_build_object('contact_id', x.contact_id, 'contact_name', x.contact_name), :actor, :request_id
  from changed x, numbered n
)
select contact_id, contact_name, contact_email from changed
