-- Changes the quantity of a line, by an operator: totals, stock and exposure follow, under the order's own terms.
-- Lock order: order, contract, stock level, adjustments, client.
with terms as materialized (
  select o.client_id, o.order_id, o.version, o.order_state_id, o.order_total, o.order_tax, o.order_discount,
    i.order_item_id, i.item_id, i.item_vendor_code, i.item_title, i.order_item_price,
    i.order_item_quantity as quantity, a.quantity_wanted, d.ended_as, y.discount, z.tax, t.total, e.exposure
  from orders o
  join order_items i on i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_id = :order_item_id
  -- include changed-line.part.sql
  where o.order_id = :order_id and i.order_item_quantity > 0 and i.order_item_quantity <> a.quantity_wanted
    and i.shipped_quantity <= a.quantity_wanted
), changed as (            -- An unchanged version proves that the lines and the open adjustments read here are current.
  update orders o set order_total = t.total, order_discount = t.discount, order_tax = t.tax,
    order_state_id = coalesce(t.ended_as, o.order_state_id), order_update_datetime = now(),
    version = o.version + 1, history_count = o.history_count + 1 + (t.ended_as is not null)::integer
  from terms t
  where o.client_id = t.client_id and o.order_id = t.order_id and o.version = t.version
    and o.order_state_id = any(case when t.quantity_wanted > t.quantity then :raisable::text[] else :reducible end)
    and (t.ended_as is null or o.hold_reason is null)
  returning o.*, o.history_count - (t.ended_as is not null)::integer as items_entry
), line as (
  update order_items i set order_item_quantity = t.quantity_wanted
  from changed o, terms t
  where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_id = t.order_item_id
  returning i.order_item_id
), -- include line-changed.part.sql
)
select -- include line-effect.part.sql
