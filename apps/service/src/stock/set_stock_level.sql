-- Sets a stock level. It may not fall below what orders have reserved: a count records that (count_stock.sql).
create or replace function set_stock_level(
  stock bigint,
  item bigint,
  counted bigint,
  takes_back_orders boolean, -- Null means as before.
  expected bigint,           -- The pieces in stock that the operator was shown; null if that is not said.
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  level constant stock_levels := locked_level(stock, item);
begin
  takes_back_orders := coalesce(takes_back_orders, level.back_order, false);
  if level.on_hand = counted then expected := null; end if; -- It is so already, perhaps by the same request.
  refused := coalesce(level_refusal(stock, item, level.on_hand, expected),
    case when counted + level.shortage < level.reserved and not takes_back_orders then
      refusal('stock_below_reserved', json_build_object(
        'stock_id', stock, 'item_id', item, 'on_hand', counted, 'reserved', level.reserved)) end);
  if refused is not null then return; end if;

  if level.stock_id is null then
    insert into stock_levels (stock_id, item_id, on_hand, back_order, counts)
    values (stock, item, counted, takes_back_orders, 1);
  else
    update stock_levels v set on_hand = counted, back_order = takes_back_orders, counts = v.counts + 1,
      shortage = case when takes_back_orders then 0
        else greatest(least(v.shortage, v.reserved - counted), 0) end -- As lower_shortage() does.
    where v.stock_id = stock and v.item_id = item;
  end if;
  insert into changed_goods (kind, of_id, item_id) values ('s', stock, item);
  insert into catalogue_changes (changed, data, actor, request_id)
  values ('stock-level', jsonb_build_object('stock_id', stock, 'item_id', item, 'on_hand', counted, 'back_order',
    takes_back_orders, 'on_hand_before', coalesce(level.on_hand, 0),
    'back_order_before', coalesce(level.back_order, false)), actor, request_id);
end $$;

-- Locks a stock level that is to be set, and returns it; nulls if there is none. It queues with the orders of the item
-- (reserve_items.sql).
create or replace function locked_level(stock bigint, item bigint) returns stock_levels language plpgsql as $$
declare
  level stock_levels;
begin
  perform pg_advisory_xact_lock(hashint8extended(item, stock));
  select * into level from stock_levels v where v.stock_id = stock and v.item_id = item for no key update;
  return level;
end $$;

-- Why the level cannot be set; null if it can.
create or replace function level_refusal(stock bigint, item bigint, on_hand bigint, expected bigint) returns json
  stable language sql as $$
  select case
    when not exists (select from stocks s where s.stock_id = stock) then
      refusal('stock_not_found', json_build_object('stock_id', stock))
    when not exists (select from items i where i.item_id = item) then
      refusal('item_not_found', json_build_object('item_id', item))
    else expected_differs('on_hand', expected, coalesce(on_hand, 0)) end
$$;

-- The level after it was set; none if that was refused.
create or replace function level_answer(stock bigint, item bigint, refused json) returns table (
  stock_id bigint, stock_name text, item_id bigint, item_vendor_code text, item_title text, on_hand bigint,
  reserved bigint, back_order boolean, shortage bigint
) rows 1 language plpgsql as $$
#variable_conflict use_column
begin
  if refused is null then
    return query select v.stock_id, k.stock_name, v.item_id, i.item_vendor_code, i.item_title, v.on_hand, v.reserved,
      v.back_order, v.shortage
    from stock_levels v
    join stocks k on k.stock_id = v.stock_id
    join items i on i.item_id = v.item_id
    where v.stock_id = stock and v.item_id = item;
  end if;
end $$;
