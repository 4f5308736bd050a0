-- Replaces what a stock expects of an item. Without a level, the stock carries the item from now on.
create or replace function set_arrivals(
  stock bigint,
  item bigint,
  arrivals jsonb,        -- By day, each day once.
  actor text,
  request_id text,
  out answer json,       -- What is expected now.
  out refused json
) language plpgsql as $$
declare
  before jsonb := held_arrivals(stock, item); -- Holds the level before all else.
begin
  refused := level_refusal(stock, item, null, null);
  if refused is not null then return; end if;
  before := replace_arrivals(stock, item, arrivals);
  if before <> arrivals then
    insert into catalogue_changes (changed, data, actor, request_id)
    values ('stock-level', jsonb_build_object('stock_id', stock, 'item_id', item, 'arrivals', arrivals,
      'arrivals_before', before), actor, request_id);
  end if;
  answer := arrivals;
end $$;

-- Returns what was expected before.
create or replace function replace_arrivals(stock bigint, item bigint, arrivals jsonb) returns jsonb
  language plpgsql as $$
declare
  before jsonb;
begin
  insert into stock_levels (stock_id, item_id, on_hand) values (stock, item, 0) on conflict do nothing;
  if found then insert into changed_goods (kind, of_id, item_id) values ('s', stock, item); end if;
  before := held_arrivals(stock, item);
  if before <> arrivals then
    delete from stock_arrivals a where a.stock_id = stock and a.item_id = item;
    insert into stock_arrivals (stock_id, item_id, arrives_on, quantity)
    select stock, item, a.date, a.quantity from jsonb_to_recordset(arrivals) a (date date, quantity bigint);
  end if;
  return before;
end $$;

-- What a stock expects of an item, held until the transaction ends.
create or replace function held_arrivals(stock bigint, item bigint) returns jsonb language plpgsql as $$
begin
  perform from stock_levels v where v.stock_id = stock and v.item_id = item for no key update;
  return arrivals_of(stock, item);
end $$;

-- What a stock expects of an item, also on days that have passed.
create or replace function arrivals_of(stock bigint, item bigint) returns jsonb stable language plpgsql as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('date', a.arrives_on, 'quantity', a.quantity) order by a.arrives_on)
    from stock_arrivals a where a.stock_id = stock and a.item_id = item), '[]');
end $$;
