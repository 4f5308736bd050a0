-- Changes the quantity of a line, by an operator, who may say which quantity was shown.
-- Lock order: order, then as change_quantity.sql.
create or replace function change_line(
  order_id bigint, order_item_id bigint, quantity integer, reason text, raisable text[], reducible text[],
  dry_run boolean, expected integer, actor text, request_id text, out answer json, out refused json
) language plpgsql as $$
declare
  held orders;
  line order_items;
  possible text[];
begin
  select * into held from orders o where o.order_id = change_line.order_id for no key update;
  select * into line from order_items i
  where i.client_id = held.client_id and i.order_id = held.order_id
    and i.order_item_id = change_line.order_item_id and i.order_item_quantity > 0;
  possible := case when quantity > line.order_item_quantity then raisable else reducible end;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when line.order_item_id is null then refusal('order_item_not_found',
      json_build_object('order_id', order_id, 'order_item_id', order_item_id))
    when line.order_item_quantity = quantity then
      refusal('quantity_unchanged', json_build_object('order_item_id', order_item_id, 'quantity', quantity))
    when held.order_state_id <> all(possible) then refusal('order_lines_fixed', json_build_object(
      'order_id', order_id, 'order_state_id', held.order_state_id, 'possible', possible))
    when quantity < line.shipped_quantity then refusal('quantity_below_shipped', json_build_object(
      'order_item_id', order_item_id, 'quantity', quantity, 'shipped', line.shipped_quantity))
    else expected_differs('quantity', expected, line.order_item_quantity) end;
  if refused is not null then return; end if;
  select * into answer, refused
  from change_quantity(held, line, quantity, '. ' || reason, null, null, dry_run, actor, request_id);
end $$;
