-- Gives a line of an order another quantity: totals, stock and exposure follow, under the order's own terms. An order
-- without lines is cancelled, and one of which nothing is left to ship is shipped. For the functions that have locked
-- the order and read the line; a line without an id is a new one. With `dry_run`, only says what would happen, or why
-- it is refused. Lock order: order, contract, queue of the item, stock level, client.
create or replace function change_quantity(
  held orders,
  line order_items,
  quantity integer,
  remark text,           -- Behind the quantities, in the history.
  accepted bigint,       -- The adjustment that is accepted by this; null if an operator changes the line.
  expected_total numeric, -- What the order has to cost then; null if that is not said.
  dry_run boolean,
  actor text,
  request_id text,
  out answer json,       -- `LineChange` in line-change.ts.
  out refused json
) language plpgsql as $$
declare
  more constant integer := quantity - line.order_item_quantity;
  contract contracts;
  after record;          -- The totals, and whether the order ends.
  ended_as text;
  rise numeric;          -- Of the contract's exposure.
  low boolean;
  available bigint;      -- Null if any quantity can be reserved.
  line_closed bigint;    -- The open adjustment of the line.
  decided record;        -- What the events say of the adjustments.
  exposed jsonb;
begin
  select * into contract from contracts c
  where c.client_id = held.client_id and c.contract_id = held.contract_id for no key update;
  select t.*, l.emptied, l.all_shipped
  into after
  from (
    select sum(round(x.price * x.quantity, held.minor_digits)) as goods, sum(x.quantity) = 0 as emptied,
      bool_and(x.quantity = x.shipped) as all_shipped
    from (
      select i.order_item_price as price, i.order_item_quantity as quantity, i.shipped_quantity as shipped
      from order_items i
      where i.client_id = held.client_id and i.order_id = held.order_id
        and i.order_item_id is distinct from line.order_item_id
      union all
      select line.order_item_price, change_quantity.quantity, coalesce(line.shipped_quantity, 0)
    ) x
  ) l
  cross join lateral order_totals(l.goods, held.discount_percent, held.tax_mode, held.tax_percent, held.minor_digits,
    held.order_shipping) t;
  ended_as := case when after.emptied then 'canceled' when after.all_shipped then 'shipped' end;
  rise := case when after.emptied then 0 else after.total end - held.order_total;
  if not held.virtual then
    select case when not v.back_order then v.on_hand - v.reserved end into available
    from stock_levels v where v.stock_id = held.stock_id and v.item_id = line.item_id;
    if not found then available := 0; end if;
  end if;

  refused := case
    when ended_as is not null and held.hold_reason is not null and accepted is null then
      refusal('order_held', json_build_object('order_id', held.order_id, 'hold_reason', held.hold_reason))
    when more > 0 and more > available then
      refusal('out_of_stock', with_substitutes(json_build_object('item_id', line.item_id, 'stock_id', held.stock_id,
        'available', greatest(available, 0), 'requested', more), line.item_id))
    else coalesce(
      expected_differs('order_total', expected_total, after.total),
      limit_refusal(contract.contract_id, contract.contract_limit, contract.exposure, rise),
      size_refusal(greatest(after.total, after.discount, contract.exposure + rise))) end;
  if refused is not null then return; end if;

  select a.adjustment_id into line_closed from adjustments a
  where a.client_id = held.client_id and a.order_id = held.order_id and a.order_item_id = line.order_item_id
    and a.adjustment_status = 'WAIT' and accepted is null;
  if not dry_run then
    -- 1. The line, the order and its history.
    if line.order_item_id is null then
      insert into order_items as i (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
        item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
      values (held.client_id, held.order_id, line.item_id, line.product_id, line.product_name, line.brand_id,
        line.brand_name, line.item_vendor_code, line.item_barcode, line.item_title, quantity, line.order_item_price,
        held.order_create_datetime)
      returning i.order_item_id into line.order_item_id;
    else
      update order_items i set order_item_quantity = quantity
      where i.client_id = held.client_id and i.order_id = held.order_id and i.order_item_id = line.order_item_id;
    end if;
    update orders o set order_total = after.total, order_discount = after.discount, order_tax = after.tax,
      order_state_id = coalesce(ended_as, o.order_state_id),
      hold_reason = case when ended_as is null then o.hold_reason end, -- An emptied order is not held any more.
      order_update_datetime = now(), history_count = o.history_count + 1 + (ended_as is not null)::integer
    where o.client_id = held.client_id and o.order_id = held.order_id;
    insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
    values (held.client_id, held.order_id, held.history_count + 1, 'Change of items', held.order_state_id,
      line.item_vendor_code || ': ' || line.order_item_quantity || ' → ' || quantity || remark,
      actor);
    if ended_as is not null then
      insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
      values (held.client_id, held.order_id, held.history_count + 2, 'Change of status', ended_as,
        case when after.emptied then 'The last item was removed.' else 'Nothing is left to ship.' end, actor);
    end if;
    insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
    values (held.client_id, held.order_id, held.history_count + 1, line.order_item_id, line.order_item_quantity,
      quantity);

    -- 2. The contract and the stock. A virtual order reserves nothing.
    update contracts c set exposure = c.exposure + rise
    where c.client_id = held.client_id and c.contract_id = held.contract_id;
    if more > 0 and not held.virtual then
      perform reserve_items(held.stock_id, array[line.item_id], array[more]);
    elsif not held.virtual then
      perform shift_levels(held.stock_id, array[line.item_id], array[more], reserved_by => 1, on_hand_by => 0);
    end if;

    -- 3. The adjustments: a change by the distributor answers an open one of the line, and an ended order has none.
    with decided as (
      update adjustments a set decided_at = now(), decided_by = change_quantity.actor,
        adjustment_status = case when a.adjustment_id = accepted then 'ACCEPTED' else 'CANCELED' end,
        difference = case when a.adjustment_id = accepted then more else a.difference end,
        adjustment_canceled_message = case when a.adjustment_id = accepted then null
          when a.order_item_id = line.order_item_id then 'The distributor changed the quantity to ' || quantity || '.'
          else 'The order has moved on to the state ' || ended_as || '.' end
      where a.client_id = held.client_id and a.order_id = held.order_id and a.adjustment_status = 'WAIT'
        and (a.order_item_id = line.order_item_id or ended_as is not null)
      returning a.*
    )
    select coalesce(array_agg(adjustment_snapshot(a)) filter (where a.adjustment_id = accepted), '{}') as accepted,
      coalesce(array_agg(adjustment_snapshot(a) order by a.adjustment_id)
        filter (where a.adjustment_id is distinct from change_quantity.accepted), '{}') as closed
    into decided
    from decided a;

    -- 4. What has happened. The first event shows the order before it ended.
    exposed := jsonb_build_object('exposure', contract.exposure + rise);
    low := limit_reached(contract.contract_limit, contract.exposure, contract.exposure + rise);
    perform record_events(held.client_id, held.order_id,
      'order.items_changed'::text || array_fill('adjustment.decided'::text, array[cardinality(decided.accepted)])
        || case when low then '{contract.limit_low}'::text[] end
        || case when ended_as is not null then '{order.state_changed}'::text[] end
        || array_fill('adjustment.decided'::text, array[cardinality(decided.closed)]),
      exposed || jsonb_build_object('order_state_id', held.order_state_id, 'history_count', held.history_count + 1)
        || decided.accepted || array_fill(exposed, array[low::integer + (ended_as is not null)::integer])
        || decided.closed, actor, request_id);
  end if;

  if dry_run then
    available := available - more;
  elsif available is not null then
    select v.on_hand - v.reserved into available from stock_levels v
    where v.stock_id = held.stock_id and v.item_id = line.item_id;
  end if;
  answer := json_build_object('dry_run', dry_run, 'order_id', held.order_id, 'order_number', held.order_number,
    'order_item_id', line.order_item_id, 'item_id', line.item_id, 'item_vendor_code', line.item_vendor_code,
    'item_title', line.item_title, 'order_item_price', line.order_item_price,
    'quantity_before', line.order_item_quantity, 'quantity_after', quantity, 'state_before', held.order_state_id,
    'state_after', coalesce(ended_as, held.order_state_id), 'total_before', held.order_total,
    'total_after', after.total, 'tax_before', held.order_tax, 'tax_after', after.tax,
    'discount_before', held.order_discount, 'discount_after', after.discount, 'stock_id', held.stock_id,
    'available_after', case when available is not null then greatest(available, 0) end, 'contract_id', held.contract_id,
    'limit_left_after', case when contract.contract_limit > 0
      then contract.contract_limit - contract.exposure - rise end,
    'closed_adjustment_id', line_closed);
end $$;
