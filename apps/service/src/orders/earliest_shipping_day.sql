-- The first day on which a stock can ship: the lead time counts its open days. Null if it is closed for two years.
create or replace function earliest_shipping_day(stock bigint) returns date stable language plpgsql as $$
declare
  lead_days integer;
  closed_weekdays smallint[];
  day date := current_date;
begin
  select s.lead_days, s.closed_weekdays into lead_days, closed_weekdays from stocks s where s.stock_id = stock;
  if not found then return null; end if;
  while day <= current_date + 800 loop
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
