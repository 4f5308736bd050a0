-- Blocks a client with :reason, or ends the block if that is null. Nothing changes if it is so already. PostgreSQL
-- applies one update of a row in a statement, so this update numbers the event as well.
with numbered as (
  update clients c set block_reason = :reason,
    -- include ../events/number-events.part.sql
  from (
    select client_id, block_reason, 1 as events from clients where client_id = :client_id for no key update
  ) h
  where c.client_id = h.client_id and h.block_reason is distinct from :reason
  returning c.client_id, c.client_name, c.block_reason, h.block_reason as reason_before,
    c.event_number - h.events as last_number, c.event_transaction
), happened as (
  select client_id, 0 as place, case when block_reason is null then 'client.unblocked' else 'client.blocked' end
    as event_type, null::bigint as order_id, jsonb_strip_nulls(jsonb_build_object('block_reason', block_reason))
      || jsonb_build_object('before', jsonb_build_object('block_reason', reason_before)) as data
  from numbered
), recorded as (
  -- include ../events/insert-events.part.sql
)
select client_id, client_name, block_reason from numbered
union all
select c.client_id, c.client_name, c.block_reason from clients c
where c.client_id = :client_id and c.block_reason is not distinct from :reason
