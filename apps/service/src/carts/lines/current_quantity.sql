-- How many pieces of an item a cart has on a line, 0 if it has none. Holds the line's group, if it exists, so that
-- nobody changes the line before the calling statement does: the second select sees what was committed before the lock.
create or replace function current_quantity(client bigint, cart bigint, stock bigint, contract bigint,
  advertising text, item bigint) returns integer language plpgsql as $$
declare
  held bigint;
begin
  select g.cart_group_id into held from cart_groups g
  where g.client_id = client and g.cart_id = cart and g.stock_id = stock and g.contract_id = contract
    and g.advertising = current_quantity.advertising
  for update;
  return coalesce((
    select l.quantity from cart_items l
    where l.client_id = client and l.cart_group_id = held and l.item_id = item), 0);
end $$;

-- Whether the item's rules allow the quantity that such a line would have with this many more pieces. A contract
-- of null is the default one.
create or replace function addition_allowed(client bigint, cart bigint, stock bigint, contract bigint,
  advertising text, item bigint, added integer) returns boolean language plpgsql as $$
declare
  named constant bigint := coalesce(contract, (
    select c.contract_id from contracts c where c.client_id = client and c.contract_default));
  quantity constant integer := current_quantity(client, cart, stock, named, advertising, item) + added;
begin
  return (
    select next_quantity(quantity, i.quantity_min, i.quantity_multiple) = quantity from items i where i.item_id = item);
end $$;
