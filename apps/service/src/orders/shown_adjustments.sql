-- An adjustment with its line: `adjustmentColumns` in adjustment.ts.
create or replace view shown_adjustments as
select a.client_id, a.order_id, a.adjustment_id, a.adjustment_status, a.adjustment_canceled_message, a.difference,
  a.adjustment_date_create, a.order_item_id, a.quantity_before, a.quantity_wanted, a.reason,
  shown_actor(a.decided_by) as decided_by, a.decided_at,
  i.item_id, i.product_id, i.product_name, i.item_title, i.item_vendor_code
from adjustments a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id;

-- The adjustment after a function has changed it; none if that was refused.
create or replace function adjustment_answer(id bigint, refused json) returns setof shown_adjustments rows 1
  language plpgsql as $$
begin
  if refused is null then
    return query select * from shown_adjustments a where a.adjustment_id = id;
  end if;
end $$;
