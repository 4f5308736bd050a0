-- Sets an item's price in a price list. A price far from the present one has to be confirmed.
create or replace function put_price(
  price_list_id bigint,
  item_id bigint,
  price numeric,
  price_factor numeric, -- A price that changes by more than this has to be confirmed; 0 if none has.
  expected numeric,     -- The price that the operator was shown; null if that is not said.
  confirmed boolean,
  actor text,
  request_id text,
  out outcome text,
  out refused json
) language plpgsql as $$
declare
  before numeric;
begin
  select p.price into before from prices p
  where p.price_list_id = put_price.price_list_id and p.item_id = put_price.item_id for no key update;
  refused := case
    when not exists (select from price_lists r where r.price_list_id = put_price.price_list_id) then
      refusal('price_list_not_found', json_build_object('price_list_id', price_list_id))
    when not exists (select from items i where i.item_id = put_price.item_id) then
      refusal('item_not_found', json_build_object('item_id', item_id))
    when price = before then null -- It is so already, perhaps by the same request.
    when expected is distinct from before and expected is not null then expected_differs('price', expected, before)
    when price_factor > 0 and not confirmed and (price > before * price_factor or before > price * price_factor) then
      refusal('confirmation_required', json_build_object('change', 'price', 'before', before, 'after', price))
    end;
  outcome := case when before is null then 'added' when price = before then 'unchanged' else 'changed' end;
  if refused is not null or outcome = 'unchanged' then return; end if;

  if outcome = 'added' then -- Of two at once, the second is repeated and finds the row.
    insert into prices (price_list_id, item_id, price) values (price_list_id, item_id, price);
  else
    update prices p set price = put_price.price
    where p.price_list_id = put_price.price_list_id and p.item_id = put_price.item_id;
  end if;
  insert into catalogue_changes (changed, data, actor, request_id)
  values ('price', jsonb_build_object('price_list_id', price_list_id, 'item_id', item_id, 'price', price,
    'price_before', before), actor, request_id);
end $$;
