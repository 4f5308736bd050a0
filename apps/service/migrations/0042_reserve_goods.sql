-- Reserves goods for a new order and returns how many levels it found. Items must be sorted: levels are locked in this
-- order. The constraint out_of_stock can refuse the whole statement.
--
-- Orders of the same item queue at an advisory lock, which wakes one of them at a time. At the row itself, a commit
-- would wake all that wait. The update is a statement of its own and takes its snapshot after the wait, so it finds
-- what the order before has committed; as a part of a larger statement it would evaluate that statement again.
-- The queue only makes waiting cheaper: an order takes it for its first 32 items, since the server's table of locks has
-- room for about 64 locks per connection.
create function reserve_goods(stock bigint, items bigint[], quantities integer[]) returns bigint
  language plpgsql
  as $$
    declare
      item bigint;
      queued boolean;
      level_count bigint;
    begin
      foreach item in array items[1:32] loop
        queued := pg_advisory_xact_lock(hashint8extended(item, stock)) is null; -- Cheaper than `perform`.
      end loop;
      update stock_levels s set reserved = s.reserved + l.quantity
      from unnest(items, quantities) l (item_id, quantity)
      where s.stock_id = stock and s.item_id = any(array[l.item_id]); -- driving step: locked in the order of items
      get diagnostics level_count = row_count;
      return level_count;
    end
  $$;
