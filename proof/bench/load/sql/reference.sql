with money as (
  insert into currencies (currency_code, minor_digits, rate)
  values ('EUR', 2, 1), ('USD', 2, 0.92), ('JPY', 0, 0.0061)
), makers as (
  insert into brands (brand_id, brand_name)
  select n,
    (array['Nord', 'Alpha', 'Volta', 'Kessel', 'Orion', 'Rapid', 'Titan', 'Delta', 'Munro', 'Zenit'])[1 + n % 10] ||
    ' ' || (array['Parts', 'Werke', 'Motors', 'Bearings', 'Filters', 'Electric', 'Brakes', 'Drive', 'Glass', 'Systems']
    )[1 + n / 10 % 10] || ' ' || n
  from generate_series(1, 200) n
), houses as (
  insert into stocks (stock_id, stock_name, lead_days, closed_weekdays)
  values (1, 'Central warehouse', 1, '{7}'), (2, 'Northern warehouse', 2, '{6,7}'),
    (3, 'Southern warehouse', 0, '{6,7}')
), closed as (
  insert into stock_closed_days (stock_id, closed_on)
  select s, current_date + d * 30 from generate_series(1, 3) s, generate_series(1, 12) d
)
insert into price_lists (price_list_id, price_list_name, currency_code)
values (1, 'Dealers', 'EUR'), (2, 'Key accounts', 'USD'), (3, 'Export', 'JPY')
