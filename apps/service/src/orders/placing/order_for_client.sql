-- Places an order of the requested lines for a client, by an operator, completely or not at all. With `dry_run`, only
-- says what it would cost, or why it is refused.
-- Lock order: key of the request, contract, reference, then as place_order.sql.
create or replace function order_for_client(
  client bigint,
  contact bigint,      -- Null means the client's first contact.
  stock bigint,
  contract bigint,     -- Null means the default contract.
  item_ids bigint[],   -- The requested lines, each by item_id or article,
  articles text[],
  brands text[],       -- and by brand if articles are ambiguous.
  quantities bigint[],
  matches_max bigint,
  quantity_max integer,
  expected_total numeric, -- What the operator was shown; null if nothing.
  dry_run boolean,
  request_digest bytea,
  remark text,
  actor text,
  request_id text,
  idempotency_key text,
  retry_digest bytea,
  zip text, country_code text, region_code text, city text, street text, home text, room text,
  recipient text, company text, phone text, email text,
  reference text,
  comment text,
  saved_address bigint, -- Instead of the fields of the address; null for none.
  out answer json,     -- `OrderForClient` in order-for-client.ts.
  out repeated boolean,
  out refused json
) language plpgsql as $$
declare
  held contracts;
  terms record; -- What else the order depends on.
  goods record; -- The lines, as arrays sorted by item, and the totals.
  new_id bigint;
  new_number bigint;
begin
  repeated := false;
  if not dry_run then
    select * into answer, refused from operator_retry(actor, 'order-for-client', idempotency_key, retry_digest);
    repeated := answer is not null;
    if repeated or refused is not null then return; end if;
  end if;

  -- 1. Hold the contract, and see whether everything that the request names exists and may be used.
  select * into held from contracts c
  where c.client_id = client and c.contract_id = coalesce(contract, (
    select d.contract_id from contracts d where d.client_id = client and d.contract_default))
  for no key update;
  select n.block_reason, n.unique_references, r.currency_code, u.minor_digits, u.rate, s.stock_id,
    terms_digest(held.discount_percent, held.tax_mode, held.tax_percent, r.currency_code, u.minor_digits, u.rate)
      as digest,
    exists (select from client_stocks a where a.client_id = client and a.stock_id = stock) as stock_serving,
    case when contact is null then first_contact(client)
      else (select p.contact_id from contacts p where p.client_id = client and p.contact_id = contact) end as contact_id
  into terms
  from clients n
  left join stocks s on s.stock_id = stock
  left join price_lists r on r.price_list_id = held.price_list_id
  left join currencies u on u.currency_code = r.currency_code
  where n.client_id = client;

  refused := case
    when not found then refusal('client_not_found', json_build_object('client_id', client))
    when terms.block_reason is not null then
      refusal('client_blocked', json_build_object('block_reason', terms.block_reason))
    when terms.contact_id is null then
      refusal('contact_not_found', json_build_object('client_id', client, 'contact_id', coalesce(contact, 0)))
    when held.contract_id is null then
      refusal('contract_not_found', json_build_object('contract_id', coalesce(contract, 0)))
    when held.block_reason is not null then
      refusal('contract_blocked',
        json_build_object('contract_id', held.contract_id, 'block_reason', held.block_reason))
    when terms.stock_id is null then refusal('stock_not_found', json_build_object('stock_id', stock))
    when not terms.stock_serving then refusal('stock_not_serving', json_build_object('stock_id', stock))
    end;
  if refused is null and saved_address is not null then
    select * into zip, country_code, region_code, city, street, home, room, recipient, company, phone, email
    from copied_address(client, saved_address, recipient, company, phone, email);
    if not found then
      refused := refusal('address_not_found', json_build_object('field', 'address_id', 'address_id', saved_address));
    end if;
  end if;
  if refused is not null then return; end if;

  -- 2. The item of each line, if there is exactly one: an article as it is written comes before others with the same
  --    key (decision 7). Lines of the same item become one.
  with requested as (
    select g.place, g.item_id as named, g.article, g.brand, g.quantity, m.matches, m.item_id
    from unnest(item_ids, articles, brands, quantities) with ordinality as g (item_id, article, brand, quantity, place)
    cross join lateral find_item(g.item_id, g.article, g.brand, matches_max) m
  ), lines as (
    select l.*, i.on_sale, i.item_vendor_code, i.item_title, i.quantity_min, i.quantity_multiple, b.brand_name, c.price,
      round(c.price * l.quantity, terms.minor_digits) as amount
    from (
      select min(place) as place, item_id, min(matches) as matches, sum(quantity)::integer as quantity,
        (array_agg(json_strip_nulls(json_build_object('article', article, 'brand', brand, 'item_id', named))
          order by place))[1] as named_by
      from requested
      group by item_id, case when item_id is null then place end
    ) l
    left join items i on i.item_id = l.item_id
    left join brands b on b.brand_id = i.brand_id
    left join prices p on p.price_list_id = held.price_list_id and p.item_id = l.item_id
    cross join lateral (select price_at(p.price, p.break_quantities, p.break_prices, l.quantity) as price) c
  ), judged as (
    select l.*, case
      when l.item_id is null and l.matches > 1 then
        refusal_error('article_ambiguous', l.named_by)
      when l.item_id is null then refusal_error('article_not_found', l.named_by)
      when not l.on_sale then
        refusal_error('item_not_on_sale', with_substitutes(json_build_object('item_id', l.item_id), l.item_id))
      when l.price is null then refusal_error('item_not_priced',
        json_build_object('item_id', l.item_id, 'contract_id', held.contract_id))
      when l.quantity > quantity_max then refusal_error('line_quantity_exceeded',
        json_build_object('item_id', l.item_id, 'in_cart', 0, 'requested', l.quantity, 'limit', quantity_max))
      when next_quantity(l.quantity, l.quantity_min, l.quantity_multiple) <> l.quantity then
        quantity_error(l.item_id, l.quantity, l.quantity_min, l.quantity_multiple)
      end as unsold
    from lines l
  )
  select g.*, t.discount, t.tax, t.total
  into goods
  from (
    select array_agg(l.item_id order by l.place) as requested_items,
      array_agg(l.quantity order by l.place) as requested_quantities,
      array_agg(l.item_id order by l.item_id) as items, array_agg(l.quantity order by l.item_id) as quantities,
      array_agg(l.price order by l.item_id) as prices, sum(l.amount) as amount,
      digest_text(bit_xor(line_hash(l.item_id, l.quantity))) || digest_text(bit_xor(price_hash(l.item_id, l.price)))
        as digests,
      json_agg(l.unsold order by l.place) filter (where l.unsold is not null) as unsold,
      json_agg(json_build_object('item_id', l.item_id, 'item_vendor_code', l.item_vendor_code,
        'item_title', l.item_title, 'brand_name', l.brand_name, 'quantity', l.quantity, 'price', l.price,
        'amount', l.amount) order by l.place) as lines
    from judged l
  ) g
  cross join lateral order_totals(
    g.amount, held.discount_percent, held.tax_mode, held.tax_percent, terms.minor_digits, 0) t;

  refused := coalesce(goods.unsold, goods_lacking(stock, goods.requested_items, goods.requested_quantities));
  if refused is null and terms.unique_references and reference is not null then
    refused := reference_used(client, reference);
  end if;
  if refused is not null then return; end if;

  -- 3. Is the total what the operator was shown, and within the contract's limit?
  refused := case
    when goods.total <> expected_total then refusal('order_total_differs', json_build_object(
      'field', 'expected_total', 'order_total', goods.total, 'expected_total', expected_total))
    else coalesce(
      size_refusal(greatest(held.exposure + goods.total, goods.discount)),
      limit_refusal(held.contract_id, held.contract_limit, held.exposure, goods.total)) end;
  if refused is not null then return; end if;

  -- 4. Write the order and reserve its goods. Each order belongs to a cart group, this one to a group that never was.
  if not dry_run then
    insert into orders as o (client_id, order_contact_id, order_total, order_rate, order_tax, order_shipping,
      order_discount, discount_percent, tax_mode, tax_percent, currency_code, minor_digits, stock_id, contract_id,
      virtual, cart_group_id, cart_group_fingerprint, request_digest, zip, country_code, region_code, city, street,
      home, room, recipient, company, phone, email, reference, unique_reference, comment)
    values (client, terms.contact_id, goods.total, terms.rate, goods.tax, 0,
      goods.discount, held.discount_percent, held.tax_mode, held.tax_percent, terms.currency_code, terms.minor_digits,
      stock, held.contract_id, false, nextval('cart_groups_cart_group_id_seq'), goods.digests || terms.digest,
      request_digest, zip, country_code, region_code, city, street, home, room, recipient, company, phone, email,
      reference,
      case when terms.unique_references then reference end, comment)
    returning o.order_id, o.order_number into new_id, new_number;
    perform write_order(client, new_id, goods.items, goods.quantities, goods.prices, remark, actor);
    update contracts c set exposure = held.exposure + goods.total
    where c.client_id = client and c.contract_id = held.contract_id;
    perform reserve_items(stock, goods.items, goods.quantities);
    perform record_new_order(client, new_id, stock, goods.total, goods.tax, goods.discount, false, held.contract_name,
      held.contract_default, held.contract_service, held.contract_limit, held.exposure, actor, request_id);
    if is_erased(client, terms.contact_id) then perform erase_new_order(client, new_id); end if;
  end if;

  answer := json_build_object('dry_run', dry_run, 'created_order_id', new_id, 'order_number', new_number,
    'client_id', client, 'order_contact_id', terms.contact_id, 'stock_id', stock, 'contract_id', held.contract_id,
    'currency_code', terms.currency_code, 'lines', goods.lines, 'goods', goods.amount,
    'order_discount', goods.discount, 'order_tax', goods.tax, 'order_shipping', 0, 'order_total', goods.total,
    'limit_left_after', case when held.contract_limit > 0 then held.contract_limit - held.exposure - goods.total end);
  if not dry_run then
    perform keep_operator_answer(actor, 'order-for-client', idempotency_key, retry_digest, answer);
  end if;
end $$;
