-- Explains why a contact was not found: with or without its client.
select exists (select 1 from clients where client_id = :client_id) as client_exists,
  exists (select 1 from contacts where client_id = :client_id and contact_id = :contact_id) as contact_exists
