-- The first day on which a stock can ship what it has now. Null if it is closed for two years.
create or replace function earliest_shipping_day(stock bigint) returns date stable language plpgsql as $$
begin
  return shipping_day(stock, current_date);
end $$;

-- The first day on which a stock can ship goods that are there on a day: the lead time counts its open days from then
-- on, and not today once the cut-off time has passed.
create or replace function shipping_day(stock bigint, there date) returns date stable strict language plpgsql as $$
declare
  lead_days integer;
  closed_weekdays smallint[];
  day date;
begin
  select s.lead_days, s.closed_weekdays,
    greatest(there, current_date + coalesce(localtime >= s.cut_off, false)::integer)
  into lead_days, closed_weekdays, day
  from stocks s where s.stock_id = stock;
  if not found then return null; end if;
  for tried in 0..800 loop
    if extract(isodow from day)::smallint <> all(closed_weekdays)
      and not exists (select from stock_closed_days x where x.stock_id = stock and x.closed_on = day)
    then
      if lead_days = 0 then return day; end if;
      lead_days := lead_days - 1;
    end if;
    day := day + 1;
  end loop;
  return null;
end $$;
