-- Adds a note to an order: an internal one for operators, or one in the history that the client reads.
-- The order's update time stays: the age of a cancellation request and the day of archiving go by it.
with seen as materialized (
  select o.client_id, o.order_id, o.version, (
    select count(*) from order_notes m where m.client_id = o.client_id and m.order_id = o.order_id
  ) as note_count
  from orders o
  where o.order_id = :order_id
), noted as (              -- An unchanged version proves that the history and the notes read here are complete.
  update orders o set version = o.version + 1,
    history_count = o.history_count + case when :internal then 0 else 1 end
  from seen s
  where o.client_id = s.client_id and o.order_id = s.order_id and o.version = s.version
    and case when :internal then s.note_count < :notes_max else o.history_count < :history_max end
  returning o.*
), kept as (
  insert into order_notes (client_id, order_id, note_author, note_text, request_id)
  select client_id, order_id, :actor, :text, :request_id from noted
  where :internal
  returning client_id, order_id, note_datetime
), entry as (
  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  select client_id, order_id, history_count, 'Note', order_state_id, :text from noted
  where not :internal
  returning client_id, order_id, entry, date, "group", state_id, text
), happened as (
  select o.client_id, 0 as place, 'order.noted' as event_type, o.order_id,
    -- include order-snapshot.part.sql
    as data
  from noted o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  where not :internal
), -- include ../events/record-events.part.sql
), remembered as (         -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'add-note', :idempotency_key, :request_digest, json_build_object('order_id', order_id)
  from noted
  where :idempotency_key::text is not null
)
select -- include operator-order-columns.part.sql
  (select note_datetime from kept) as kept_datetime,
  -- include longer-history.part.sql
  as history, (
    -- include order-lines.part.sql
  ) as lines
from noted o
join clients k on k.client_id = o.client_id
join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
