-- Sets a counted stock level, even below what orders have reserved: the rest is recorded as a shortage. Answers with a
-- row for each order that can no longer be served, oldest first: orders are served in the order of their creation.
create or replace function count_stock(
  stock bigint,
  item bigint,
  counted bigint,
  reason text,
  holding text[],        -- The states of orders that hold goods.
  lines_max bigint,
  expected bigint,       -- The pieces in stock that the operator was shown; null if that is not said.
  actor text,
  request_id text,
  idempotency_key text,
  request_digest bytea,
  out answer json,       -- { rows }: the level, with each affected order.
  out refused json
) language plpgsql as $$
declare
  level stock_levels;
  on_hand_before bigint;
begin
  select * into answer, refused from operator_retry(actor, 'count-stock', idempotency_key, request_digest);
  if answer is not null or refused is not null then return; end if;
  level := locked_level(stock, item);
  refused := level_refusal(stock, item, level.on_hand, expected);
  if refused is not null then return; end if;
  on_hand_before := coalesce(level.on_hand, 0);
  if level.stock_id is null then
    insert into stock_levels as v (stock_id, item_id, on_hand, counts) values (stock, item, counted, 1)
    returning v.* into level;
  else
    update stock_levels v set on_hand = counted, counts = v.counts + 1,
      shortage = case when v.back_order then 0 else greatest(v.reserved - counted, 0) end
    where v.stock_id = stock and v.item_id = item
    returning v.* into level;
  end if;
  insert into changed_goods (kind, of_id, item_id) values ('s', stock, item);
  insert into catalogue_changes (changed, data, actor, request_id)
  values ('stock-level', jsonb_build_object('stock_id', stock, 'item_id', item, 'on_hand', counted,
    'on_hand_before', on_hand_before, 'shortage', level.shortage, 'reason', reason), actor, request_id);

  with lines as (          -- The newest lines of the article. Only what is reserved here counts.
    select o.order_id, o.order_number, o.client_id, o.order_state_id, o.order_create_datetime, i.order_item_id,
      i.order_item_quantity - i.shipped_quantity as open
    from (
      select i.client_id, i.order_id, i.order_item_id, i.item_id, i.order_item_quantity, i.shipped_quantity
      from order_items i
      where lower(i.item_vendor_code) = lower((select x.item_vendor_code from items x where x.item_id = item))
        and level.reserved > level.on_hand
      order by i.order_create_datetime desc, i.order_id desc
      limit lines_max
    ) i
    cross join lateral (
      select * from orders o where o.client_id = i.client_id and o.order_id = i.order_id
    ) o
    where i.item_id = item and i.order_item_quantity > i.shipped_quantity
      and o.stock_id = stock and not o.virtual and o.order_state_id = any(holding)
  ), summed as (
    select l.*, sum(l.open) over (order by l.order_create_datetime desc, l.order_id desc, l.order_item_id desc) - l.open
      as newer
    from lines l
  ), shown as (
    select level.stock_id, s.stock_name, level.item_id, i.item_vendor_code, i.item_title, level.on_hand,
      level.reserved, level.back_order, level.shortage, on_hand_before as on_hand_before, a.order_id,
      a.order_number, a.client_id, c.client_name, a.order_state_id, a.order_create_datetime, a.order_item_id, a.open,
      least(a.open, level.reserved - level.on_hand - a.newer)::integer as short
    from stocks s
    join items i on i.item_id = item
    left join summed a on a.newer < level.reserved - level.on_hand
    left join lateral (
      select n.client_name from clients n where n.client_id = a.client_id
    ) c on true
    where s.stock_id = stock
  )
  select json_build_object('rows', json_agg(s order by s.order_create_datetime, s.order_id, s.order_item_id))
  into answer
  from shown s;
  perform keep_operator_answer(actor, 'count-stock', idempotency_key, request_digest, answer);
end $$;
