-- Sets an item's price in a price list, with its breaks. A price far from the present one has to be confirmed.
create or replace function put_price(
  price_list_id bigint,
  item_id bigint,
  price numeric,
  break_quantities bigint[], -- Null leaves the breaks as they are, an empty array removes them.
  break_prices numeric[],
  price_factor numeric, -- A price that changes by more than this has to be confirmed; 0 if none has.
  expected numeric,     -- The price that the operator was shown; null if that is not said.
  confirmed boolean,
  actor text,
  request_id text,
  out outcome text,
  out price_breaks jsonb,
  out refused json
) language plpgsql as $$
declare
  before prices;
  after prices;
  far numeric;
begin
  select * into before from prices p
  where p.price_list_id = put_price.price_list_id and p.item_id = put_price.item_id for no key update;
  after := before;
  after.price := price;
  if break_quantities is not null then
    after.break_quantities := nullif(break_quantities::integer[], '{}');
    after.break_prices := nullif(break_prices, '{}');
  end if;
  outcome := case when before.price is null then 'added' when after = before then 'unchanged' else 'changed' end;
  select f into far from unnest(array[price] || break_prices) f
  where price_factor > 0 and (f > before.price * price_factor or before.price > f * price_factor)
  limit 1;
  refused := case
    when not exists (select from price_lists r where r.price_list_id = put_price.price_list_id) then
      refusal('price_list_not_found', json_build_object('price_list_id', price_list_id))
    when not exists (select from items i where i.item_id = put_price.item_id) then
      refusal('item_not_found', json_build_object('item_id', item_id))
    when outcome = 'unchanged' then null -- It is so already, perhaps by the same request.
    when expected is distinct from before.price and expected is not null then
      expected_differs('price', expected, before.price)
    when far is not null and not confirmed then
      refusal('confirmation_required', json_build_object('change', 'price', 'before', before.price, 'after', far))
    end;
  price_breaks := shown_breaks(after.break_quantities, after.break_prices);
  if refused is not null or outcome = 'unchanged' then return; end if;

  if outcome = 'added' then -- Of two at once, the second is repeated and finds the row.
    insert into prices (price_list_id, item_id, price, break_quantities, break_prices)
    values (price_list_id, item_id, price, after.break_quantities, after.break_prices);
  else
    update prices p set price = put_price.price, break_quantities = after.break_quantities,
      break_prices = after.break_prices
    where p.price_list_id = put_price.price_list_id and p.item_id = put_price.item_id;
  end if;
  insert into catalogue_changes (changed, data, actor, request_id)
  values ('price', jsonb_build_object('price_list_id', price_list_id, 'item_id', item_id, 'price', price,
    'price_before', before.price) || case when coalesce(before.break_quantities, after.break_quantities) is null
      then '{}' else jsonb_build_object('price_breaks', price_breaks, 'price_breaks_before',
        shown_breaks(before.break_quantities, before.break_prices)) end, actor, request_id);
end $$;
