-- Adds a line to an order, by an operator: at the price that the contract has now, under the order's own terms.
-- Lock order: order, contract, stock level, client.
with terms as materialized (
  select o.client_id, o.order_id, o.version, o.order_state_id, o.order_total, o.order_tax, o.order_discount,
    o.order_create_datetime, i.item_id, i.product_id, f.product_name, i.brand_id, b.brand_name, i.item_vendor_code,
    i.item_barcode, i.item_title, p.price as order_item_price, 0 as quantity, :quantity::integer as quantity_wanted,
    null::text as ended_as, y.discount, z.tax, t.total, t.total as exposure
  from orders o
  join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
  join price_lists r on r.price_list_id = c.price_list_id and r.currency_code = o.currency_code
  -- include wanted-item.part.sql
  join items i on i.item_id = w.item_id and i.on_sale
  join products f on f.product_id = i.product_id
  join brands b on b.brand_id = i.brand_id
  join prices p on p.price_list_id = c.price_list_id and p.item_id = w.item_id
  -- include order-with-line.part.sql
  where o.order_id = :order_id and g.present_id is null and g.line_count < :lines_max and (o.virtual or exists (
    select 1 from stock_levels v where v.stock_id = o.stock_id and v.item_id = w.item_id))
), changed as (            -- An unchanged version proves that the lines read here are current.
  update orders o set order_total = t.total, order_discount = t.discount, order_tax = t.tax,
    order_update_datetime = now(), version = o.version + 1, history_count = o.history_count + 1
  from terms t
  where o.client_id = t.client_id and o.order_id = t.order_id and o.version = t.version
    and o.order_state_id = any(:raisable)
  returning o.*, o.history_count as items_entry
), line as (
  insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
  select o.client_id, o.order_id, t.item_id, t.product_id, t.product_name, t.brand_id, t.brand_name,
    t.item_vendor_code, t.item_barcode, t.item_title, t.quantity_wanted, t.order_item_price, t.order_create_datetime
  from changed o, terms t
  returning order_item_id
), -- include line-changed.part.sql
), remembered as (         -- The primary key refuses the statement when the request was answered before.
  insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
  select :actor, 'add-line', :idempotency_key, :request_digest, row_to_json(effect)
  from effect
  where :idempotency_key::text is not null
)
select -- include line-effect.part.sql
