-- Changes what is given of a contract, and moves the mark of the default to it if that is wanted. Locks are taken in the order
-- contracts by id, client: whoever moves the mark locks all contracts of the client, so that moves queue and each finds the mark
-- where the one before has left it.
with locked as materialized (
  select contract_id, contract_default, price_list_id from contracts
  where client_id = :client_id and (contract_id = :contract_id or :contract_default)
  order by contract_id
  for no key update
), allowed as (            -- The mark can only be moved. The currency stays: limit and exposure are amounts of it.
  select l.contract_id
  from locked l
  join price_lists r on r.price_list_id = l.price_list_id
  where l.contract_id = :contract_id and not (l.contract_default and :contract_default is not distinct from false)
    and (:price_list_id::bigint is null
      or exists (select 1 from price_lists n where n.price_list_id = :price_list_id and n.currency_code = r.currency_code))
), unmarked as (
  update contracts c set contract_default = false
  from locked l, allowed a
  where c.client_id = :client_id and c.contract_id = l.contract_id and l.contract_default and l.contract_id <> a.contract_id
    and :contract_default
  returning c.contract_id
), changed as (            -- The constraint contract_limit_exceeded may refuse the whole statement.
  update contracts c set contract_name = coalesce(:contract_name, c.contract_name),
    contract_default = c.contract_default or coalesce(:contract_default, false),
    contract_service = coalesce(:contract_service, c.contract_service),
    contract_limit = coalesce(:contract_limit, c.contract_limit),
    price_list_id = coalesce(:price_list_id, c.price_list_id),
    discount_percent = coalesce(:discount_percent, c.discount_percent),
    tax_mode = coalesce(:tax_mode, c.tax_mode),
    tax_percent = coalesce(:tax_percent, c.tax_percent)
  from allowed a
  where c.client_id = :client_id and c.contract_id = a.contract_id and (select count(*) from unmarked) >= 0
  returning c.client_id, c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit, c.exposure,
    c.price_list_id, c.discount_percent, c.tax_mode, c.tax_percent
), numbered as (
  update clients c set event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from changed x
  where c.client_id = x.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, x.client_id, n.event_number, 'contract.changed', jsonb_build_object('contract_id', x.contract_id) || :changes::jsonb,
    :actor, :request_id
  from changed x, numbered n
)
select contract_id, contract_name, contract_default, contract_service, contract_limit, exposure, price_list_id,
  discount_percent, tax_mode, tax_percent
from changed
