-- The price of one piece of this many. Breaks are null where there are none. PostgreSQL inlines the first function, and
-- not the second: even unused, its expression would cost each statement more than a call.
create or replace function price_at(price numeric, break_quantities integer[], break_prices numeric[],
  quantity integer) returns numeric immutable language sql as $$
  select case when break_quantities is null then price
    else broken_price(price, break_quantities, break_prices, quantity) end
$$;
create or replace function broken_price(price numeric, break_quantities integer[], break_prices numeric[],
  quantity integer) returns numeric immutable language plpgsql as $$
begin
  return coalesce(break_prices[width_bucket(quantity, break_quantities)], price);
end $$;

-- The breaks as JSON: for operators, and for a client with what a piece costs after the discount of its contract.
create or replace function shown_breaks(break_quantities integer[], break_prices numeric[]) returns jsonb
  immutable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('quantity', b.quantity, 'price', b.price) order by b.quantity), '[]')
  from unnest(break_quantities, break_prices) b (quantity, price)
$$;
create or replace function net_breaks(break_quantities integer[], break_prices numeric[], discount_percent numeric,
  minor_digits smallint) returns jsonb immutable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('quantity', b.quantity, 'price', b.price,
    'net_price', net_price(b.price, discount_percent, minor_digits)) order by b.quantity), '[]')
  from unnest(break_quantities, break_prices) b (quantity, price)
$$;
