-- Turns a cart group into an order, completely or not at all. A repeated request returns the order of the first one.
--
-- Each statement sees what was committed before it began. So what must not change meanwhile is locked first and read
-- then, in the order that all operations follow (decision 3): group, cart, contract, reference, queues of items, stock
-- levels by item, client.
--
-- A refusal is an answer, and what was written before it would be committed. So everything is checked before the first
-- write (step 6). What turns out after it raises serialization_failure or breaks a unique key: all is undone, the
-- service repeats the call (classify.ts and database.ts in packages/pg-statements/src/), and that finds the reason in
-- steps 1 to 5. A crash leaves all of it or nothing.
create or replace function place_order(
  client bigint,
  cart_group bigint,
  shown_lines text,    -- What the client was shown, from the group's key:
  shown_prices text,   -- three digests,
  shown_terms text,
  shown_virtual boolean, -- and whether the cart was virtual.
  request_digest bytea, -- Of the fields of the request, by which a repetition is recognised.
  contact bigint,      -- Null means the client's first contact.
  remark text,         -- In the first entry of the history.
  actor text,
  request_id text,
  saved_address bigint, -- Instead of the address.
  zip text, country_code text, region_code text, city text, street text, home text, room text,
  recipient text, company text, phone text, email text,
  reference text,
  comment text,
  metadata jsonb,
  out created_order_id bigint,
  out repeated boolean,
  out refused json
) language plpgsql as $$
declare
  fingerprint constant text :=
    shown_lines || shown_prices || shown_terms || case when shown_virtual then '-virtual' else '' end;
  earlier record;
  held record;  -- The group with its cart and contract, all locked.
  terms record; -- What else the order depends on.
  goods record; -- The lines, as arrays sorted by item, and the totals.
begin
  -- 1. Hold the group, so that nobody else orders it or changes its lines. The three are joined by keys that never
  --    change, so the row is right even if it was changed while we waited for it.
  select g.cart_id, g.stock_id, g.contract_id, nullif(g.advertising, '') as advertising, k.virtual, c.contract_name,
    c.contract_default, c.contract_service, c.contract_limit, c.exposure, c.block_reason, c.price_list_id,
    c.discount_percent, c.tax_mode, c.tax_percent
  into held
  from cart_groups g
  join carts k on k.client_id = g.client_id and k.cart_id = g.cart_id
  join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
  where g.client_id = client and g.cart_group_id = cart_group
  for update of g for no key update of k, c;

  if not found then -- Ordered before, perhaps while we waited. A lock is written to the log, so that under synchronous
                    -- replication this answer waits for the replica, as the first one did.
    select o.order_id, o.request_digest = place_order.request_digest and o.cart_group_fingerprint = fingerprint as same
    into earlier
    from orders o where o.client_id = client and o.cart_group_id = cart_group
    for update;
    if not found then
      refused := refusal('cart_group_not_found');
    elsif not earlier.same then
      refused := refusal('cart_group_already_ordered', json_build_object('order_id', earlier.order_id));
    else
      created_order_id := earlier.order_id;
      repeated := true;
    end if;
    return;
  end if;

  if saved_address is not null then
    select * into zip, country_code, region_code, city, street, home, room, recipient, company, phone, email
    from copied_address(client, saved_address, recipient, company, phone, email);
    if not found then
      refused := refusal('address_not_found', json_build_object('field', 'address_id', 'address_id', saved_address));
      return;
    end if;
  end if;

  -- 2. Read what the order depends on. An item without a price is shown with its last one.
  select n.block_reason, n.unique_references, r.currency_code, u.minor_digits, u.rate,
    terms_digest(held.discount_percent, held.tax_mode, held.tax_percent, r.currency_code, u.minor_digits, u.rate)
      as digest,
    exists (select from client_stocks a where a.client_id = client and a.stock_id = held.stock_id) as stock_serving,
    case when contact is null then first_contact(client)
      else (select p.contact_id from contacts p where p.client_id = client and p.contact_id = contact) end as contact_id
  into strict terms
  from clients n
  join price_lists r on r.price_list_id = held.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where n.client_id = client;
  select l.*, t.discount, t.tax, t.total
  into goods
  from (
    select count(*) as line_count, array_agg(l.item_id) as items, array_agg(l.quantity) as quantities,
      array_agg(l.price) as prices, sum(round(l.price * l.quantity, terms.minor_digits)) as amount,
      bool_and(coalesce(l.back_order or l.quantity <= l.free, false)) as enough,
      digest_text(bit_xor(line_hash(l.item_id, l.quantity))) as lines_digest,
      digest_text(bit_xor(price_hash(l.item_id, l.price))) as prices_digest,
      json_agg(case
        when not l.on_sale then
          refusal_error('item_not_on_sale', with_substitutes(json_build_object('item_id', l.item_id), l.item_id))
        when not l.priced then
          refusal_error('item_not_priced', json_build_object('item_id', l.item_id, 'contract_id', held.contract_id))
        else quantity_error(l.item_id, l.quantity, l.quantity_min, l.quantity_multiple) end
      ) filter (where not (l.on_sale and l.priced
        and next_quantity(l.quantity, l.quantity_min, l.quantity_multiple) = l.quantity)) as unsold
    from (
      select x.item_id, x.quantity, p.price is not null as priced, i.on_sale, i.quantity_min, i.quantity_multiple,
        coalesce(price_at(p.price, p.break_quantities, p.break_prices, x.quantity), x.last_price) as price,
        v.back_order, v.on_hand - v.reserved as free
      from cart_items x
      join items i on i.item_id = x.item_id
      left join prices p on p.price_list_id = held.price_list_id and p.item_id = x.item_id
      left join stock_levels v on v.stock_id = held.stock_id and v.item_id = x.item_id
      where x.client_id = client and x.cart_group_id = cart_group
      order by x.item_id
    ) l
  ) l
  cross join lateral order_totals(
    l.amount, held.discount_percent, held.tax_mode, held.tax_percent, terms.minor_digits, 0) t;

  -- 3. May this client order from this stock under this contract?
  refused := case
    when goods.line_count = 0 then refusal('cart_group_not_found') -- It is swept soon.
    when terms.block_reason is not null then
      refusal('client_blocked', json_build_object('block_reason', terms.block_reason))
    when held.block_reason is not null then
      refusal('contract_blocked',
        json_build_object('contract_id', held.contract_id, 'block_reason', held.block_reason))
    when terms.contact_id is null then -- Only an operator can name one: the contact of a key exists.
      refusal('contact_not_found', json_build_object('client_id', client, 'contact_id', contact))
    when not terms.stock_serving then refusal('stock_not_serving', json_build_object('stock_id', held.stock_id))
    end;
  if refused is not null then return; end if;

  -- 4. Is it what the client was shown, on sale, and a quantity that is sold?
  if (goods.lines_digest, goods.prices_digest, terms.digest, held.virtual)
    <> (shown_lines, shown_prices, shown_terms, shown_virtual)
  then
    refused := refusal('cart_group_changed', json_build_object('field', 'cart_group_key',
      'cart_group_key', concat_ws('-', cart_group, goods.lines_digest, goods.prices_digest, terms.digest,
        case when held.virtual then 'virtual' end),
      'changed', array_remove(array[
        case when goods.lines_digest <> shown_lines then 'lines' -- Other items have other prices: that says nothing.
          when goods.prices_digest <> shown_prices then 'prices' end,
        case when terms.digest <> shown_terms then 'terms' end,
        case when held.virtual <> shown_virtual then 'virtual' end], null),
      'cart_items', (
        select json_agg(l) from unnest(goods.items, goods.quantities, goods.prices) l (item_id, quantity, price))));
    return;
  end if;
  if terms.unique_references and reference is not null then
    refused := reference_used(client, reference);
    if refused is not null then return; end if;
  end if;
  if goods.unsold is not null then
    refused := goods.unsold;
    return;
  end if;

  -- 5. Is there enough, and is the total within the contract's limit? A virtual order reserves nothing.
  if not held.virtual and not goods.enough then
    refused := goods_lacking(held.stock_id, goods.items, goods.quantities);
    if refused is not null then return; end if;
  end if;
  refused := coalesce(
    size_refusal(greatest(held.exposure + goods.total, goods.discount)),
    limit_refusal(held.contract_id, held.contract_limit, held.exposure, goods.total));
  if refused is not null then return; end if;

  -- 6. Write the order, and take the group out of the cart.
  insert into orders as o (client_id, order_contact_id, order_total, order_rate, order_tax, order_shipping,
    order_discount, discount_percent, tax_mode, tax_percent, currency_code, minor_digits, stock_id, contract_id,
    order_advertising, virtual, cart_group_id, cart_group_fingerprint, request_digest, zip, country_code, region_code,
    city, street, home, room, recipient, company, phone, email, reference, unique_reference, comment)
  values (client, terms.contact_id, goods.total, terms.rate, goods.tax, 0,
    goods.discount, held.discount_percent, held.tax_mode, held.tax_percent, terms.currency_code, terms.minor_digits,
    held.stock_id, held.contract_id, held.advertising, held.virtual, cart_group, fingerprint, request_digest, zip,
    country_code, region_code, city, street, home, room, recipient, company, phone, email, reference,
    case when terms.unique_references then reference end, comment)
  returning o.order_id into created_order_id;
  perform write_order(client, created_order_id, goods.items, goods.quantities, goods.prices, remark, actor);
  if metadata is not null then
    insert into order_metadata (client_id, order_id, by_client, key, value, order_create_datetime)
    select client, created_order_id, true, m.key, m.value, now() from jsonb_each_text(metadata) m;
  end if;
  update contracts c set exposure = held.exposure + goods.total
  where c.client_id = client and c.contract_id = held.contract_id;
  delete from cart_groups g where g.client_id = client and g.cart_group_id = cart_group;
  update carts k set line_count = k.line_count - goods.line_count, emptied_at = now()
  where k.client_id = client and k.cart_id = held.cart_id;

  -- 7. Reserve the goods: last, since from here to the end other orders of the same items wait.
  if not held.virtual then perform reserve_items(held.stock_id, goods.items, goods.quantities); end if;

  -- 8. Record it.
  perform record_new_order(client, created_order_id, held.stock_id, goods.total, goods.tax, goods.discount,
    held.virtual, held.contract_name, held.contract_default, held.contract_service, held.contract_limit,
    held.exposure, actor, request_id);
  if is_erased(client, terms.contact_id) then perform erase_new_order(client, created_order_id); end if;
  repeated := false;
end $$;

-- From here on: what order_for_client.sql does in the same way.

-- The client's first contact who is not erased (erase_contact.sql); if all are, the first.
create or replace function first_contact(client bigint) returns bigint stable language plpgsql as $$
begin
  return (select p.contact_id from contacts p where p.client_id = client
    order by p.contact_name = erased_name(), p.contact_id limit 1);
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
create or replace function write_order(
  client bigint, placed bigint, items bigint[], quantities integer[], prices numeric[], remark text, actor text
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

  insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
  values (client, placed, 1, 'Change of status', 'new', remark, actor);
end $$;

-- The events of a new order. They store what may change later and differs between new orders (order-fields.ts). The
-- caller has written the order and holds its contract; the stock's name is read when the client's row is locked, so
-- that it is not older than an event before.
create or replace function record_new_order(
  client bigint, placed bigint, stock bigint, total numeric, tax numeric, discount numeric, virtual boolean,
  contract_name text, contract_default boolean, contract_service boolean, contract_limit numeric,
  exposure_before numeric, actor text, request_id text
) returns void language plpgsql as $$
declare
  limit_low constant boolean := limit_reached(contract_limit, exposure_before, exposure_before + total);
  numbered record;
begin
  update clients n set event_number = n.event_number + 1 + limit_low::integer, -- As record_events does.
    event_transaction = greatest(n.event_transaction, event_position(pg_current_xact_id()))
  where n.client_id = client
  returning n.event_number - 1 - limit_low::integer as last_number, n.event_transaction, n.block_reason into numbered;
  if numbered.block_reason is not null then -- Blocked meanwhile: no order follows the event of the block.
    raise serialization_failure; -- The repeated call is refused in step 3.
  end if;
  insert into events (transaction_id, client_id, event_number, event_type, order_id, data, actor, request_id)
  select numbered.event_transaction, client, numbered.last_number + e.place, e.event_type, placed,
    jsonb_build_object('order_total', total, 'order_tax', tax, 'order_discount', discount, 'virtual', virtual,
      'stock_name', s.stock_name, 'contract_name', contract_name, 'contract_default', contract_default,
      'contract_service', contract_service, 'contract_limit', contract_limit, 'exposure', exposure_before + total),
    record_new_order.actor, record_new_order.request_id
  from stocks s
  cross join unnest(case when limit_low then '{order.created,contract.limit_low}'::text[] else '{order.created}' end)
    with ordinality e (event_type, place)
  where s.stock_id = stock;
end $$;
