-- Cancels an open adjustment, for the statements that find it in a step `seen` (client_id, order_id, version,
-- adjustment_id) and take the parameters message, actor and request_id. The step `closed` returns its row.
-- The include ends in an open parenthesis, as record-events.part.sql does.
known as (                 -- An unchanged version proves that the adjustment is still open.
  update orders o set version = o.version + 1
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
  returning o.client_id, o.order_id
), closed as (
  update adjustments a set adjustment_status = 'CANCELED', decided_at = now(), decided_by = :actor,
    adjustment_canceled_message = :message
  from known o, seen s
  where a.client_id = o.client_id and a.order_id = o.order_id and a.adjustment_id = s.adjustment_id
  returning a.*
), happened as (
  select a.client_id, 0 as place, 'adjustment.decided' as event_type, a.order_id,
    -- include adjustment-snapshot.part.sql
    as data
  from closed a
), -- include ../events/record-events.part.sql
