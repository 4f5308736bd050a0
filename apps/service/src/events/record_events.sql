-- Numbers events of a client without gaps and stores them, each with the details given for it. One about an order also
-- has what may change later of the order, its stock and its contract; one about a request of a client, such as an
-- adjustment, has its details alone.
--
-- The client's row is locked here, after all other rows of the operation. What the events show is read afterwards, so
-- that it includes the change that the event before tells of.
-- `greatest` keeps a client's events in the same order by transaction, as in the feed, and by number: a transaction
-- gets its id at its first write, so the one that is numbered later may have the smaller id.
create or replace function record_events(
  client bigint, about_order bigint, event_types text[], details jsonb[], actor text, request_id text
) returns void language plpgsql as $$
declare
  numbered record;
  snapshot jsonb;
begin
  update clients n set event_number = n.event_number + cardinality(event_types),
    event_transaction = greatest(n.event_transaction, event_position(pg_current_xact_id()))
  where n.client_id = client
  returning n.event_number - cardinality(event_types) as last_number, n.event_transaction into numbered;

  if about_order is not null and exists (select from unnest(event_types) t where not is_of_request(t)) then
    -- The fields of order-fields.ts that may change.
    select jsonb_build_object('order_update_datetime', o.order_update_datetime, 'order_state_id', o.order_state_id,
      'order_total', o.order_total, 'order_tax', o.order_tax, 'order_discount', o.order_discount,
      'order_shipping_date', o.order_shipping_date, 'order_shipped_datetime', o.order_shipped_datetime,
      'order_archive_datetime', o.order_archive_datetime, 'virtual', o.virtual, 'history_count', o.history_count,
      'stock_name', s.stock_name, 'contract_name', c.contract_name, 'contract_default', c.contract_default,
      'contract_service', c.contract_service, 'contract_limit', c.contract_limit)
    into strict snapshot
    from orders o
    join stocks s on s.stock_id = o.stock_id
    join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
    where o.client_id = client and o.order_id = about_order;
  end if;

  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select numbered.event_transaction, client, numbered.last_number + e.place, e.event_type, about_order,
    case when about_order is null or is_of_request(e.event_type) then e.details else snapshot || e.details end,
    record_events.actor, record_events.request_id
  from unnest(event_types, details) with ordinality e (event_type, details, place);
end $$;

create or replace function is_of_request(event_type text) returns boolean immutable language sql as $$
  select event_type ~ '^(adjustment|return_request)[.]'
$$;
