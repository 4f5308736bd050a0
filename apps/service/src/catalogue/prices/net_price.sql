-- The price of one piece minus the contract's discount, as an order of one piece is rounded (order_totals.sql).
create or replace function net_price(price numeric, discount_percent numeric, minor_digits smallint) returns numeric
  immutable language sql as $$
  select round(price, minor_digits) - round(round(price, minor_digits) * discount_percent / 100, minor_digits)
$$;
