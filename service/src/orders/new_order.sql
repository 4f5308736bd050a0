-- What all new orders have in common: those of clients and those of operators for them.

-- The client's first contact who is not erased (see erase-contact.ts); if all are, the first.
create or replace function first_contact(client bigint) returns bigint stable language plpgsql as $$
begin
  return (select p.contact_id from contacts p where p.client_id = client
    order by p.contact_name = 'Erased contact', p.contact_id limit 1);
end $$;

-- The refusal of a reference that another order of the client has; null if none has it. Orders with the same reference
-- wait here for each other. For clients whose references are unique.
create or replace function reference_used(client bigint, reference text) returns json language plpgsql as $$
declare
  used_by bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended(reference, client));
  select o.order_id into used_by from orders o
  where o.client_id = client and o.unique_reference = reference_used.reference;
  return case when found then refusal('reference_used',
    json_build_object('field', 'reference', 'reference', reference, 'order_id', used_by)) end;
end $$;

-- The lines and the history of a new order. Items are sorted.
create or replace function write_lines(
  client bigint, placed bigint, items bigint[], quantities integer[], prices numeric[], remark text
) returns void language plpgsql as $$
begin
  insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
  select client, placed, i.item_id, i.product_id, d.product_name, i.brand_id, b.brand_name,
    i.item_vendor_code, i.item_barcode, i.item_title, l.quantity, l.price, now()
  from unnest(items, quantities, prices) l (item_id, quantity, price)
  join items i on i.item_id = any(array[l.item_id]) -- driving step: the lines stay in the order of items
  join products d on d.product_id = i.product_id
  join brands b on b.brand_id = i.brand_id;

  insert into order_history (client_id, order_id, entry, "group", state_id, text)
  values (client, placed, 1, 'Change of status', 'new', remark);
end $$;

-- The events of a new order. They store only what differs between new orders.
create or replace function record_new_order(
  client bigint, placed bigint, limit_low boolean, actor text, request_id text
) returns void language plpgsql as $$
declare
  events constant integer := 1 + limit_low::integer;
  numbered record;
begin
  update clients n set event_number = n.event_number + events, -- As record_order_events does.
    event_transaction = greatest(n.event_transaction, pg_current_xact_id())
  where n.client_id = client
  returning n.event_number - events as last_number, n.event_transaction, n.block_reason into numbered;
  if numbered.block_reason is not null then -- Blocked meanwhile: no order follows the event of the block.
    perform refuse_with(refusal('client_blocked', json_build_object('block_reason', numbered.block_reason)));
  end if;
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select numbered.event_transaction, client, numbered.last_number + e.place, e.event_type, placed,
    jsonb_build_object('order_total', o.order_total, 'order_tax', o.order_tax, 'order_discount', o.order_discount,
      'virtual', o.virtual, 'stock_name', s.stock_name, 'contract_name', c.contract_name,
      'contract_default', c.contract_default, 'contract_service', c.contract_service,
      'contract_limit', c.contract_limit, 'exposure', c.exposure),
    record_new_order.actor, record_new_order.request_id
  from orders o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  join (values (1, 'order.created'), (2, 'contract.limit_low')) e (place, event_type) on e.place <= events
  where o.client_id = client and o.order_id = placed;
end $$;

-- Erases what an order and its adjustments say in the words of a contact that was erased while they were written. It is
-- called when the client's row is locked, as erase_contact.sql looks for such words then.
create or replace function forget_erased(client bigint, of_order bigint) returns void language plpgsql as $$
begin
  if not exists (
    select from orders o
    join contacts p on p.client_id = o.client_id and p.contact_id = o.order_contact_id
    where o.client_id = client and o.order_id = of_order and p.contact_name = 'Erased contact')
  then
    return;
  end if;
  update orders o set comment = null where o.client_id = client and o.order_id = of_order and o.comment is not null;
  update adjustments a set reason = null
  where a.client_id = client and a.order_id = of_order and a.reason is not null;
end $$;
