with counted as (
  select n as client_id, coalesce(max(o.last_event), 0) as event_number
  from generate_series(:from, :to) n
  left join bench_load.orders o on o.client_id = n
  group by n
), people as (
  insert into contacts (client_id, contact_id, contact_name, contact_email)
  select client_id, client_id * 2 - 2 + m, 'Contact ' || m || ' of dealer ' || client_id,
    'contact' || m || '@dealer' || client_id || '.example'
  from counted, generate_series(1, 2) m
), agreed as (             -- exposure.sql sets the exposure after the orders.
  insert into contracts (client_id, contract_id, contract_name, contract_default, contract_service, price_list_id,
    discount_percent, tax_mode, tax_percent)
  select client_id, client_id * 2 - 2 + m,
    case m when 1 then 'Supply contract ' else 'Service contract ' end || client_id, m = 1, m = 2,
    1 + (client_id + m) % 3, client_id % 3 * 2.5,
    case client_id % 3 when 0 then 'added' else 'included' end,
    (array[0, 19, 20])[1 + client_id % 3]
  from counted, generate_series(1, 2) m
), served as (             -- Two stocks serve each client, all three every fourth client.
  insert into client_stocks (client_id, stock_id)
  select client_id, 1 + (client_id + m) % 3 from counted, generate_series(0, 2) m where m < 2 or client_id % 4 = 0
)
insert into clients (client_id, client_name, event_number, cart_count, webhook_count)
select client_id, 'Dealer ' || client_id || ' Autoteile GmbH', event_number, 2 - client_id % 2, 2 from counted
