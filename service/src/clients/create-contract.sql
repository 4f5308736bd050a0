-- A further contract of a client, and the default from now on if that is wanted. Locks are taken in the order contracts by id, client.
with locked as materialized (
  select contract_id, contract_default from contracts
  where client_id = :client_id and :contract_default
  order by contract_id
  for no key update
), unmarked as (
  update contracts c set contract_default = false
  from locked l
  where c.client_id = :client_id and c.contract_id = l.contract_id and l.contract_default
  returning c.contract_id
), made as (               -- The constraint contracts_one_default refuses it all when another new default could not be seen yet.
  insert into contracts (client_id, contract_name, contract_default, contract_service, contract_limit, price_list_id,
    discount_percent, tax_mode, tax_percent)
  select client_id, :contract_name, :contract_default, :contract_service, :contract_limit, :price_list_id,
    :discount_percent, :tax_mode, :tax_percent
  from clients
  where client_id = :client_id and (select count(*) from unmarked) >= 0
  returning client_id, contract_id, contract_name, contract_default, contract_service, contract_limit, exposure, price_list_id,
    discount_percent, tax_mode, tax_percent
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from made m
  where c.client_id = m.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, m.client_id, n.event_number, 'contract.created', to_jsonb(m) - 'client_id' - 'exposure', :actor, :request_id
  from made m, numbered n
)
select contract_id, contract_name, contract_default, contract_service, contract_limit, exposure, price_list_id,
  discount_percent, tax_mode, tax_percent
from made
