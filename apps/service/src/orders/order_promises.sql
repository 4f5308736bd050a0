-- When the stock can ship what is open of each line of an order: `OrderPromise` in order-goods.ts. Back-orders are
-- served in the order of their creation, so what newer orders have reserved is not served before it. Only the newest
-- lines of the article are looked at: behind more of them, a promise is later than it might be.
create or replace function order_promises(
  client bigint,
  placed bigint,
  holding text[],        -- The states of orders that hold goods.
  newer_max bigint
) returns json stable language plpgsql as $$
begin
  return (
    select coalesce(json_agg(json_build_object('order_item_id', l.order_item_id, 'promise', stock_promise(
        o.stock_id, l.item_id, l.open, case when not o.virtual then greatest(v.reserved - n.newer, l.open)::bigint end))
      order by l.order_item_id), '[]')
    from orders o
    join lateral (
      select i.order_item_id, i.item_id, i.item_vendor_code, i.order_item_quantity - i.shipped_quantity as open
      from order_items i
      where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > i.shipped_quantity
    ) l on true
    left join stock_levels v on v.stock_id = o.stock_id and v.item_id = l.item_id
    cross join lateral (
      select coalesce(sum(i.order_item_quantity - i.shipped_quantity), 0) as newer
      from (
        select i.client_id, i.order_id, i.order_item_id, i.item_id, i.order_item_quantity, i.shipped_quantity
        from order_items i
        where lower(i.item_vendor_code) = lower(l.item_vendor_code)
          and (i.order_create_datetime, i.order_id) >= (o.order_create_datetime, o.order_id)
          and v.reserved > v.on_hand
        order by i.order_create_datetime desc, i.order_id desc
        limit newer_max
      ) i
      cross join lateral (
        select * from orders x where x.client_id = i.client_id and x.order_id = i.order_id
      ) x
      where i.item_id = l.item_id and i.order_item_quantity > i.shipped_quantity
        and (i.order_id <> o.order_id or i.order_item_id > l.order_item_id)
        and x.stock_id = o.stock_id and not x.virtual and x.order_state_id = any(holding)
    ) n
    where o.client_id = client and o.order_id = placed and o.order_state_id = any(holding));
end $$;
