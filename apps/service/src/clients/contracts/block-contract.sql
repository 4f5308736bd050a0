-- Blocks a contract with :reason, or ends the block if that is null. Nothing changes if it is so already.
-- Lock order: contract, client.
with changed as (
  update contracts c set block_reason = :reason
  from (
    select client_id as of_client, contract_id as id, block_reason as reason_before from contracts
    where client_id = :client_id and contract_id = :contract_id for no key update
  ) h
  where c.client_id = h.of_client and c.contract_id = h.id and h.reason_before is distinct from :reason
  returning client_id, reason_before, -- include ../terms-columns.part.sql
), happened as (
  select client_id, 0 as place, case when block_reason is null then 'contract.unblocked' else 'contract.blocked' end
    as event_type, null::bigint as order_id,
    jsonb_strip_nulls(jsonb_build_object('contract_id', contract_id, 'block_reason', block_reason))
      || jsonb_build_object('before', jsonb_build_object('block_reason', reason_before)) as data
  from changed
), -- include ../../events/record-events.part.sql
)
select -- include ../terms-columns.part.sql
from changed
union all
select -- include ../terms-columns.part.sql
from contracts
where client_id = :client_id and contract_id = :contract_id and block_reason is not distinct from :reason
