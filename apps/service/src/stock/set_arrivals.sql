-- Replaces what a stock expects of an item. Without a level, the stock carries the item from now on.
create or replace function set_arrivals(
  stock bigint,
  item bigint,
  days text[],           -- Distinct.
  quantities bigint[],
  actor text,
  request_id text,
  out answer json,       -- What was expected before, and what is now.
  out refused json
) language plpgsql as $$
declare
  level constant stock_levels := locked_level(stock, item);
  before json;
  after json;
begin
  refused := level_refusal(stock, item, null, null);
  if refused is not null then return; end if;
  before := expected_arrivals(stock, item);
  if level.stock_id is null then
    insert into stock_levels (stock_id, item_id, on_hand) values (stock, item, 0);
    insert into changed_goods (kind, of_id, item_id) values ('s', stock, item);
  end if;
  delete from stock_arrivals a where a.stock_id = stock and a.item_id = item;
  insert into stock_arrivals (stock_id, item_id, arrives_on, quantity)
  select stock, item, l.arrives_on::date, l.quantity from unnest(days, quantities) l (arrives_on, quantity);
  after := expected_arrivals(stock, item);
  if after::text <> before::text then
    insert into catalogue_changes (changed, data, actor, request_id)
    values ('stock-level', jsonb_build_object('stock_id', stock, 'item_id', item, 'arrivals', after,
      'arrivals_before', before), actor, request_id);
  end if;
  answer := after;
end $$;

-- What a stock expects of an item, also on days that have passed.
create or replace function expected_arrivals(stock bigint, item bigint) returns json stable language plpgsql as $$
begin
  return coalesce((
    select json_agg(json_build_object('date', a.arrives_on, 'quantity', a.quantity) order by a.arrives_on)
    from stock_arrivals a where a.stock_id = stock and a.item_id = item), '[]');
end $$;
