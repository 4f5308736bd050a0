-- Changes the given fields of a contract, and moves the default mark to it if requested. Locks are taken in the order
-- contracts by id, client: moving the mark locks all contracts of the client, so that concurrent moves queue and each
-- finds the mark where the previous one left it.
with locked as materialized (
  select contract_id, contract_default, contract_limit, price_list_id from contracts
  where client_id = :client_id and (contract_id = :contract_id or :contract_default)
  order by contract_id
  for no key update
), allowed as (            -- The mark can only be moved. The currency is fixed: limit and exposure are amounts in it.
                           -- Removing the limit must be confirmed with the present one.
  select l.contract_id
  from locked l
  join price_lists r on r.price_list_id = l.price_list_id
  where l.contract_id = :contract_id and not (l.contract_default and :contract_default is not distinct from false)
    and (:contract_limit::numeric is distinct from 0 or l.contract_limit in (0, :expected::numeric))
    and (:price_list_id::bigint is null or exists (
      select 1 from price_lists n
      where n.price_list_id = :price_list_id and n.currency_code = r.currency_code
    ))
), unmarked as (
  update contracts c set contract_default = false
  from locked l, allowed a
  where c.client_id = :client_id and c.contract_id = l.contract_id and l.contract_default
    and l.contract_id <> a.contract_id and :contract_default
  returning c.contract_id
), changed as (
  update contracts c set contract_name = coalesce(:contract_name, c.contract_name),
    contract_default = c.contract_default or coalesce(:contract_default, false),
    contract_service = coalesce(:contract_service, c.contract_service),
    contract_limit = coalesce(:contract_limit, c.contract_limit),
    overdrawn = case when :contract_limit is null then c.overdrawn when :contract_limit = 0 then 0
      else greatest(c.exposure - :contract_limit, 0) end,
    price_list_id = coalesce(:price_list_id, c.price_list_id),
    discount_percent = coalesce(:discount_percent, c.discount_percent),
    tax_mode = coalesce(:tax_mode, c.tax_mode),
    tax_percent = coalesce(:tax_percent, c.tax_percent)
  where c.client_id = :client_id and c.contract_id = (select contract_id from allowed)
    and (select count(*) from unmarked) >= 0 -- chained: unmarked first
  returning client_id, -- include terms-columns.part.sql
), happened as (
  select client_id, 0 as place, 'contract.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('contract_id', contract_id) || :changes::jsonb as data
  from changed
), -- include ../events/record-events.part.sql
)
select -- include terms-columns.part.sql
from changed
