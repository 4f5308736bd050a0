-- Creates a client with its first contact, its default contract and the stocks that serve it, or nothing at all.
-- A statement cannot update a row that it inserts, so the new row starts with the number of its first event.
with created as (
  insert into clients (client_name, unique_references, event_number, event_transaction)
  values (:client_name, :unique_references, 1, event_position(pg_current_xact_id()))
  returning client_id, client_name, unique_references, event_number, event_transaction
), contact as (
  insert into contacts (client_id, contact_name, contact_email)
  select client_id, :contact_name, :contact_email from created
  returning contact_id
), contract as (
  insert into contracts (client_id, contract_name, contract_default, contract_service, contract_limit, price_list_id,
    discount_percent, tax_mode, tax_percent)
  select client_id, :contract_name, true, :contract_service, :contract_limit, :price_list_id,
    :discount_percent, :tax_mode, :tax_percent
  from created
  returning contract_id, contract_name, contract_limit, price_list_id, discount_percent, tax_mode, tax_percent
), served as (
  insert into client_stocks (client_id, stock_id, preference)
  select c.client_id, s.stock_id, s.place
  from created c, unnest(:stock_ids::bigint[]) with ordinality s (stock_id, place)
), happened as (
  select client_id, 0 as place, 'client.created' as event_type, null::bigint as order_id,
    jsonb_build_object('client_name', client_name, 'unique_references', unique_references,
      'stock_ids', :stock_ids::bigint[], 'contract', to_jsonb(contract)) as data
  from created cross join contract
), numbered as (
  select client_id, event_number - 1 as last_number, event_transaction from created
), recorded as (
  -- include ../events/insert-events.part.sql
), ids as (
  select client_id, contact_id, contract_id from created cross join contact cross join contract
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'create-client', :idempotency_key, :request_digest, row_to_json(ids)
  from ids
  where :idempotency_key::text is not null
)
select client_id, contact_id, contract_id from ids
