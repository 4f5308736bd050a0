-- Turns a cart group into an order, completely or not at all. A repeated request returns the order of the first one.
--
-- Each statement sees what was committed before it began. So what must not change meanwhile is locked first and read
-- then, in the order that all operations follow: group, cart, contract, stock levels by item, client.
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
  zip text, country_code text, region_code text, city text, street text, home text, room text,
  reference text,
  comment text,
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

  if not found then -- Ordered before, perhaps while we waited. The lock makes a synchronous replica confirm it.
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

  -- 2. May this client order from this stock under this contract?
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

  refused := case
    when terms.block_reason is not null then
      refusal('client_blocked', json_build_object('block_reason', terms.block_reason))
    when held.block_reason is not null then
      refusal('contract_blocked',
        json_build_object('contract_id', held.contract_id, 'block_reason', held.block_reason))
    when terms.contact_id is null then
      refusal('contact_not_found', json_build_object('client_id', client, 'contact_id', contact))
    when not terms.stock_serving then refusal('stock_not_serving', json_build_object('stock_id', held.stock_id))
    end;
  if refused is not null then return; end if;

  -- 3. Is it what the client was shown, and on sale? An item without a price is shown with its last one.
  select l.*, t.discount, t.tax, t.total
  into goods
  from (
    select count(*) as line_count, array_agg(l.item_id) as items, array_agg(l.quantity) as quantities,
      array_agg(l.price) as prices, sum(round(l.price * l.quantity, terms.minor_digits)) as amount,
      digest_text(bit_xor(line_hash(l.item_id, l.quantity))) as lines_digest,
      digest_text(bit_xor(price_hash(l.item_id, l.price))) as prices_digest,
      json_agg(case when l.on_sale
        then json_build_object('code', 'item_not_priced', 'details',
          json_build_object('item_id', l.item_id, 'contract_id', held.contract_id))
        else json_build_object('code', 'item_not_on_sale', 'details', json_build_object('item_id', l.item_id)) end
      ) filter (where not (l.on_sale and l.priced)) as unsold
    from (
      select x.item_id, x.quantity, coalesce(p.price, x.last_price) as price, p.price is not null as priced, i.on_sale
      from cart_items x
      join items i on i.item_id = x.item_id
      left join prices p on p.price_list_id = held.price_list_id and p.item_id = x.item_id
      where x.client_id = client and x.cart_group_id = cart_group
      order by x.item_id
    ) l
  ) l
  cross join lateral order_totals(
    l.amount, held.discount_percent, held.tax_mode, held.tax_percent, terms.minor_digits, 0) t;

  if goods.line_count = 0 then -- Its last line was removed, and the group is about to be.
    refused := refusal('cart_group_not_found');
    return;
  elsif (goods.lines_digest, goods.prices_digest, terms.digest, held.virtual)
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

  -- 4. Is there enough, and is the total within the contract's limit? A virtual order reserves nothing.
  if not held.virtual then
    refused := goods_lacking(held.stock_id, goods.items, goods.quantities);
    if refused is not null then return; end if;
  end if;
  refused := coalesce(
    size_refusal(greatest(held.exposure + goods.total, goods.discount)),
    limit_refusal(held.contract_id, held.contract_limit, held.exposure, goods.total));
  if refused is not null then return; end if;

  -- 5. Write the order, and take the group out of the cart.
  insert into orders as o (client_id, order_contact_id, order_total, order_rate, order_tax, order_shipping,
    order_discount, discount_percent, tax_mode, tax_percent, currency_code, minor_digits, stock_id, contract_id,
    order_advertising, virtual, cart_group_id, cart_group_fingerprint, request_digest, zip, country_code, region_code,
    city, street, home, room, reference, unique_reference, comment)
  values (client, terms.contact_id, goods.total, terms.rate, goods.tax, 0,
    goods.discount, held.discount_percent, held.tax_mode, held.tax_percent, terms.currency_code, terms.minor_digits,
    held.stock_id, held.contract_id, held.advertising, held.virtual, cart_group, fingerprint, request_digest, zip,
    country_code, region_code, city, street, home, room, reference,
    case when terms.unique_references then reference end, comment)
  returning o.order_id into created_order_id;
  perform write_lines(client, created_order_id, goods.items, goods.quantities, goods.prices, remark);
  update contracts c set exposure = held.exposure + goods.total
  where c.client_id = client and c.contract_id = held.contract_id;
  delete from cart_groups g where g.client_id = client and g.cart_group_id = cart_group;
  update carts k set line_count = k.line_count - goods.line_count, emptied_at = now()
  where k.client_id = client and k.cart_id = held.cart_id;

  -- 6. Reserve the goods: last, since from here to the end other orders of the same items wait.
  if not held.virtual then perform reserve_items(held.stock_id, goods.items, goods.quantities); end if;

  -- 7. Record it.
  perform record_new_order(client, created_order_id,
    limit_reached(held.contract_limit, held.exposure, held.exposure + goods.total), actor, request_id);
  if comment is not null then perform forget_erased(client, created_order_id); end if;
  repeated := false;
end $$;
