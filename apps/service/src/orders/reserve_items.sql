-- Reserves goods, all or none. Items must be sorted: levels are locked in this order. The caller has found
-- that there is enough; if it went meanwhile, the request is repeated and finds that out.
--
-- Orders of the same item queue at an advisory lock, which wakes one of them at a time; at the row itself, a commit
-- would wake all that wait. The update takes its snapshot after the wait, so it finds what the order before has
-- committed. The queue only makes waiting cheaper: an order takes it for its first 32 items, since the server's table
-- of locks has room for about 64 locks per connection.
create or replace function reserve_items(stock bigint, items bigint[], quantities integer[]) returns void
  language plpgsql as $$
declare
  item bigint;
  queued boolean;
  level_count bigint;
begin
  foreach item in array items[1:32] loop
    queued := pg_advisory_xact_lock(hashint8extended(item, stock)) is null; -- Cheaper than `perform`.
  end loop;
  update stock_levels v set reserved = v.reserved + l.quantity
  from unnest(items, quantities) l (item_id, quantity)
  where v.stock_id = stock and v.item_id = any(array[l.item_id]) -- driving step: locked in the order of items
    and (v.back_order or l.quantity <= v.on_hand - v.reserved);
  get diagnostics level_count = row_count;
  if level_count < cardinality(items) then raise serialization_failure; end if;
end $$;

-- The refusal of the goods that a stock does not have now, by item; null if it has them all.
create or replace function goods_lacking(stock bigint, items bigint[], quantities integer[]) returns json
  language plpgsql as $$
begin
  return (
    select json_agg(refusal_error('out_of_stock', with_substitutes(json_build_object(
      'item_id', l.item_id, 'stock_id', stock, 'available', greatest(coalesce(v.on_hand - v.reserved, 0), 0),
      'requested', l.quantity), l.item_id)))
    from unnest(items, quantities) l (item_id, quantity)
    left join stock_levels v on v.stock_id = stock and v.item_id = l.item_id
    where v.back_order is not true and l.quantity > coalesce(v.on_hand - v.reserved, 0));
end $$;
