-- Quantity rules of items and price breaks of prices. The checks are not validated: the columns are new.

-- An item is ordered in multiples of quantity_multiple, and at least quantity_min pieces; both are null if there is no
-- rule. Neither is above half of the largest quantity of a line, so that some quantity is always possible.
alter table items
  add column quantity_min integer,
  add column quantity_multiple integer,
  add constraint items_quantity_rules check (quantity_min is null and quantity_multiple is null
    or coalesce(quantity_min between 1 and 500000 and quantity_multiple between 1 and 500000, false)) not valid;

-- From each of these quantities on, a piece costs the price at the same place. With two arrays, PostgreSQL finds the
-- price of a quantity without a join.
create function are_price_breaks(quantities integer[], prices numeric[]) returns boolean
  immutable language plpgsql as $$
begin
  return coalesce(quantities = array(select distinct q from unnest(quantities) q order by q) -- Rising.
    and quantities[1] >= 2 and 1000000 >= all(quantities) and 0 <= all(prices) and array_lower(prices, 1) = 1
    and cardinality(quantities) = cardinality(prices) and cardinality(quantities) <= 10, false);
end $$;

alter table prices
  add column break_quantities integer[],
  add column break_prices numeric(15, 4)[],
  add constraint prices_breaks check (break_quantities is null and break_prices is null
    or are_price_breaks(break_quantities, break_prices)) not valid;
