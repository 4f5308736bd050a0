-- Saves an address of a client under its name, in place of the one that has the name. The client's row is held, so that
-- two at once do not exceed the limit, and so that erase_contact knows all that its contact has written.
create or replace function put_address(
  client bigint,
  contact bigint,
  address_name text,
  zip text, country_code text, region_code text, city text, street text, home text, room text,
  recipient text, company text, phone text, email text,
  addresses_max integer,
  out address_id bigint,
  out refused json
) language plpgsql as $$
begin
  perform from clients c where c.client_id = client for no key update;
  if (select count(*) from addresses d where d.client_id = client and d.address_name <> put_address.address_name)
    >= addresses_max
  then
    refused := refusal('addresses_full', json_build_object('limit', addresses_max));
    return;
  end if;
  insert into addresses as d (client_id, contact_id, address_name, zip, country_code, region_code, city, street, home,
    room, recipient, company, phone, email)
  values (client, contact, address_name, zip, country_code, region_code, city, street, home, room, recipient, company,
    phone, email)
  on conflict on constraint addresses_name_is_unique do update set contact_id = excluded.contact_id,
    zip = excluded.zip, country_code = excluded.country_code, region_code = excluded.region_code,
    city = excluded.city, street = excluded.street, home = excluded.home, room = excluded.room,
    recipient = excluded.recipient, company = excluded.company, phone = excluded.phone, email = excluded.email
  returning d.address_id into address_id;
  if is_erased(client, contact) then
    delete from addresses d where d.client_id = client and d.address_id = put_address.address_id;
  end if;
end $$;
