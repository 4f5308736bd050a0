-- The log of events is kept for good: it names the contact, and leaves the address to where it can be changed.
with made as (
  insert into contacts (client_id, contact_name, contact_email)
  select client_id, :contact_name, :contact_email from clients
  where client_id = :client_id
  returning client_id, contact_id, contact_name, contact_email
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from made m
  where c.client_id = m.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, m.client_id, n.event_number, 'contact.created',
    jsonb_build_object('contact_id', m.contact_id, 'contact_name', m.contact_name), :actor, :request_id
  from made m, numbered n
)
select contact_id, contact_name, contact_email from made
