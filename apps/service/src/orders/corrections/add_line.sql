-- Adds a line to an order, by an operator: at the price that the contract has now, under the order's own terms. The
-- item's quantity rules do not bind operators (decision 5).
-- Lock order: key of the request, order, then as change_quantity.sql.
create or replace function add_line(
  order_id bigint,
  item_id bigint,        -- The item, or
  article text,          -- its article.
  quantity integer,
  reason text,
  raisable text[],
  lines_max bigint,
  matches_max bigint,
  dry_run boolean,
  expected numeric,      -- The total with the line that the operator was shown; null if that is not said.
  actor text,
  request_id text,
  idempotency_key text,
  request_digest bytea,
  out answer json,
  out refused json
) language plpgsql as $$
declare
  held orders;
  found_item record;
  offer record;          -- The item, its price and the currency of the contract.
  present record;        -- What the order has already.
  line order_items;
begin
  if not dry_run then
    select * into answer, refused from operator_retry(actor, 'add-line', idempotency_key, request_digest);
    if answer is not null or refused is not null then return; end if;
  end if;
  select * into held from orders o where o.order_id = add_line.order_id for no key update;
  select * into found_item from find_item(add_line.item_id, article, null, matches_max);
  select i.*, f.product_name, b.brand_name, r.currency_code,
    price_at(p.price, p.break_quantities, p.break_prices, quantity) as price
  into offer
  from contracts c
  join price_lists r on r.price_list_id = c.price_list_id
  left join items i on i.item_id = found_item.item_id
  left join products f on f.product_id = i.product_id
  left join brands b on b.brand_id = i.brand_id
  left join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id
  where c.client_id = held.client_id and c.contract_id = held.contract_id;
  select count(*) as line_count,
    min(i.order_item_id) filter (where i.item_id = offer.item_id and i.order_item_quantity > 0) as order_item_id
  into present
  from order_items i where i.client_id = held.client_id and i.order_id = held.order_id;

  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when held.order_state_id <> all(raisable) then refusal('order_lines_fixed', json_build_object(
      'order_id', order_id, 'order_state_id', held.order_state_id, 'possible', raisable))
    when offer.item_id is null and found_item.matches > 1 and article is not null then
      refusal('article_ambiguous', json_build_object('article', article))
    when offer.item_id is null then refusal('article_not_found',
      json_strip_nulls(json_build_object('article', article, 'item_id', add_line.item_id)))
    when present.order_item_id is not null then refusal('item_in_order', json_build_object(
      'order_id', order_id, 'item_id', offer.item_id, 'order_item_id', present.order_item_id))
    when not offer.on_sale then refusal('item_not_on_sale',
      with_substitutes(json_build_object('item_id', offer.item_id), offer.item_id))
    when offer.currency_code <> held.currency_code then refusal('order_currency_differs', json_build_object(
      'order_id', order_id, 'currency_code', held.currency_code, 'contract_currency_code', offer.currency_code))
    when offer.price is null then refusal('item_not_priced',
      json_build_object('item_id', offer.item_id, 'contract_id', held.contract_id))
    when present.line_count >= lines_max then
      refusal('order_full', json_build_object('order_id', order_id, 'limit', lines_max))
    end;
  if refused is not null then return; end if;

  line.item_id := offer.item_id;
  line.product_id := offer.product_id;
  line.product_name := offer.product_name;
  line.brand_id := offer.brand_id;
  line.brand_name := offer.brand_name;
  line.item_vendor_code := offer.item_vendor_code;
  line.item_barcode := offer.item_barcode;
  line.item_title := offer.item_title;
  line.order_item_price := offer.price;
  line.order_item_quantity := 0;
  select * into answer, refused
  from change_quantity(held, line, quantity, '. ' || reason, null, expected, dry_run, actor, request_id);
  if not dry_run and refused is null then
    perform keep_operator_answer(actor, 'add-line', idempotency_key, request_digest, answer);
  end if;
end $$;
