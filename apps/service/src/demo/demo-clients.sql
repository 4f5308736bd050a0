-- Two dealers with different contracts. demo-keys.ts issues keys to the first contact of each.

insert into clients (client_id, client_name)
values (1, 'Lindner Car Service'), (2, 'Vasquez Parts Retail');

insert into contacts (client_id, contact_id, contact_name, contact_email)
values
  (1, 1, 'Marta Lindner', 'marta@lindner.example'),
  (1, 2, 'Jonas Weber', 'jonas@lindner.example'),
  (2, 3, 'Elena Vasquez', 'elena@vasquez.example'),
  (2, 4, 'Pieter de Wit', 'pieter@vasquez.example');

insert into client_stocks (client_id, stock_id)
values (1, 1), (1, 2), (1, 3), (2, 1), (2, 3);

insert into contracts (
  client_id, contract_id, contract_name, contract_default, contract_service, contract_limit, price_list_id,
  discount_percent, tax_mode, tax_percent
)
values
  (1, 1, 'Workshop supply', true, false, 0, 1, 0, 'included', 19),
  (1, 2, 'Express delivery', false, true, 2500, 1, 0, 'included', 19),
  (2, 3, 'Retail', true, false, 50000, 2, 5, 'added', 21),
  (2, 4, 'Seasonal campaign', false, false, 10000, 2, 8, 'added', 21);

alter table clients alter column client_id restart with 3;
alter table contacts alter column contact_id restart with 5;
alter table contracts alter column contract_id restart with 5;
