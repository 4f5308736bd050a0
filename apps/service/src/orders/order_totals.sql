-- The totals of an order, by the sum of its lines and its terms.
create or replace function order_totals(
  goods numeric, discount_percent numeric, tax_mode text, tax_percent numeric, minor_digits smallint, shipping numeric
) returns table (discount numeric, tax numeric, total numeric) rows 1 immutable language sql as $$
  select y.discount, z.tax, goods - y.discount + shipping + case tax_mode when 'added' then z.tax else 0 end
  from (select round(goods * discount_percent / 100, minor_digits) as discount) y
  cross join lateral (
    select round((goods - y.discount) * tax_percent
      / case tax_mode when 'added' then 100 else 100 + tax_percent end, minor_digits) as tax
  ) z
$$;

-- The refusal of an amount that is larger than numeric(15, 3), as all are; null otherwise. `totalMax` in amounts.ts.
create or replace function size_refusal(amount numeric) returns json stable language sql as $$
  select case when amount > 999999999999.999
    then refusal('order_total_too_large', json_build_object('total_max', 999999999999.999)) end
$$;

-- The refusal of a rise of a contract's exposure beyond its limit; null if there is none or it is within.
create or replace function limit_refusal(contract bigint, contract_limit numeric, exposure numeric, rise numeric)
  returns json stable language sql as $$
  select case when contract_limit > 0 and rise > 0 and exposure + rise > contract_limit
    then refusal('contract_limit_exceeded', json_build_object('contract_id', contract, 'limit', contract_limit,
      'used', exposure, 'requested', rise)) end
$$;

-- Whether a contract's exposure has reached nine tenths of its limit.
create or replace function limit_reached(contract_limit numeric, before numeric, after numeric) returns boolean
  immutable language sql as $$
  select contract_limit > 0 and after >= 0.9 * contract_limit and before < 0.9 * contract_limit
$$;
