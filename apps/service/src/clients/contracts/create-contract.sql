-- Adds a contract to a client, as the default if requested. Locks are taken in the order contracts by id, client.
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
), created as (            -- The constraint contracts_one_default refuses it if another new default was not visible.
  insert into contracts (client_id, contract_name, contract_default, contract_service, contract_limit, price_list_id,
    discount_percent, tax_mode, tax_percent)
  select client_id, :contract_name, :contract_default, :contract_service, :contract_limit, :price_list_id,
    :discount_percent, :tax_mode, :tax_percent
  from clients
  where client_id = :client_id and (select count(*) from unmarked) >= 0 -- chained: unmarked first
  returning client_id, -- include ../terms-columns.part.sql
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'create-contract', :idempotency_key, :request_digest, row_to_json(created)
  from created
  where :idempotency_key::text is not null
), happened as (
  select client_id, 0 as place, 'contract.created' as event_type, null::bigint as order_id,
    to_jsonb(n) - 'client_id' - 'exposure' - 'block_reason' as data
  from created n
), -- include ../../events/record-events.part.sql
)
select -- include ../terms-columns.part.sql
from created
