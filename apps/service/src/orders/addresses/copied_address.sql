-- The fields of a saved address for an order, in the order of the columns; who receives the goods may differ.
create or replace function copied_address(client bigint, saved_address bigint, recipient text, company text,
  phone text, email text)
returns table (zip text, country_code text, region_code text, city text, street text, home text, room text,
  recipient_then text, company_then text, phone_then text, email_then text) stable language sql as $$
  select d.zip, d.country_code, d.region_code, d.city, d.street, d.home, d.room,
    coalesce(copied_address.recipient, d.recipient), coalesce(copied_address.company, d.company),
    coalesce(copied_address.phone, d.phone), coalesce(copied_address.email, d.email)
  from addresses d where d.client_id = client and d.address_id = saved_address
$$;
