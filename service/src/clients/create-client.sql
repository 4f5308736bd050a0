-- A client with its first contact and its default contract, and the stocks that serve it: all of it or nothing.
with made as (
  insert into clients (client_name, event_number, event_transaction) values (:client_name, 1, pg_current_xact_id())
  returning client_id, event_transaction
), contact as (
  insert into contacts (client_id, contact_name, contact_email)
  select client_id, :contact_name, :contact_email from made
), contract as (
  insert into contracts (client_id, contract_name, contract_default, contract_service, contract_limit, price_list_id, discount_percent, tax_mode, tax_percent)
  select client_id, :contract_name, true, :contract_service, :contract_limit, :price_list_id, :discount_percent, :tax_mode, :tax_percent from made
), served as (
  insert into client_stocks (client_id, stock_id)
  select client_id, unnest(:stock_ids::bigint[]) from made
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select event_transaction, client_id, 1, 'client.created', jsonb_build_object('client_name', :client_name::text), :actor, :request_id from made
)
select client_id from made
