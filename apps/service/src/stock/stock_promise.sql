-- When a stock can ship this many pieces of an item: `Promise` in promise.ts. On the earliest shipping day if they are
-- free now; otherwise after the first arrival with which there are enough; null if there never are. Arrivals cover what
-- is reserved first, and count until their day has passed.
create or replace function stock_promise(
  stock bigint,
  item bigint,
  wanted bigint,
  due bigint -- How many reserved pieces are served up to and with these; null if they are not reserved yet.
) returns json stable language plpgsql as $$
declare
  on_hand bigint;
  reserved bigint;
  arrivals json;
  arrives date; -- The first arrival with which there is enough.
begin
  select l.on_hand, l.reserved into on_hand, reserved from stock_levels l where l.stock_id = stock and l.item_id = item;
  on_hand := coalesce(on_hand, 0);
  reserved := coalesce(reserved, 0);
  due := coalesce(due, reserved + wanted);
  select json_agg(json_build_object('date', a.arrives_on, 'quantity', a.quantity) order by a.arrives_on),
    min(a.arrives_on) filter (where on_hand + a.arrived >= due)
  into arrivals, arrives
  from (
    select x.arrives_on, x.quantity, sum(x.quantity) over (order by x.arrives_on) as arrived
    from stock_arrivals x
    where x.stock_id = stock and x.item_id = item and x.arrives_on >= current_date
  ) a;
  return json_build_object('quantity', wanted, 'available', greatest(on_hand - reserved, 0),
    'arrivals', coalesce(arrivals, '[]'),
    'earliest_shipping_date', shipping_day(stock, case when on_hand >= due then current_date else arrives end));
end $$;
