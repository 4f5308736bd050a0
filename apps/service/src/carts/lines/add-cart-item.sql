-- Adds an item to a cart: a new line, or more pieces of an existing one.
with offer as (            -- Only what the client may buy; without a row nothing happens.
  select k.client_id, k.cart_id, c.contract_id, a.stock_id, p.price, p.break_quantities, p.break_prices,
    i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, b.brand_id, b.brand_name
  from carts k
  join contracts c on c.client_id = k.client_id and c.contract_id = coalesce(:contract_id, (
    select d.contract_id from contracts d where d.client_id = :client_id and d.contract_default))
  join client_stocks a on a.client_id = k.client_id and a.stock_id = :stock_id
  join items i on i.item_id = :item_id and i.on_sale
    and (i.quantity_multiple is null
      or addition_allowed(:client_id, :cart_id, :stock_id, :contract_id, :advertising, i.item_id, :quantity))
  join brands b on b.brand_id = i.brand_id
  join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id
  where k.client_id = :client_id and k.cart_id = :cart_id
), changed as (            -- Waits while an order of this group is placed, and then starts a new group.
  insert into cart_groups (client_id, cart_id, stock_id, contract_id, advertising)
  select client_id, cart_id, stock_id, contract_id, :advertising from offer
  on conflict on constraint cart_groups_one_a_combination do update set version = cart_groups.version + 1
  returning client_id, cart_group_id
), line as (
  insert into cart_items (client_id, cart_group_id, item_id, quantity, last_price)
  select g.client_id, g.cart_group_id, o.item_id, :quantity, o.price from changed g, offer o
  on conflict on constraint cart_items_one_an_item do update set
    quantity = cart_items.quantity + excluded.quantity, last_price = excluded.last_price
  returning cart_item_id, quantity
), audited as (
  insert into audit_entries (audit_action, client_id, subject, old_value, new_value, actor, request_id)
  select 'cart_item_added', o.client_id, jsonb_build_object('cart_id', o.cart_id, 'cart_item_id', l.cart_item_id,
      'item_id', o.item_id, 'stock_id', o.stock_id, 'contract_id', o.contract_id),
    case when l.quantity > :quantity then jsonb_build_object('quantity', l.quantity - :quantity) end,
    jsonb_build_object('quantity', l.quantity), :actor, :request_id
  from line l, offer o
  where :actor::text is not null
), counted as (            -- A line with just the added quantity is new. The constraint cart_is_full may refuse.
  update carts k set line_count = k.line_count + 1
  from line l
  where l.quantity = :quantity and k.client_id = :client_id and k.cart_id = :cart_id
), shown as (
  select o.client_id, l.cart_item_id, l.quantity,
    price_at(o.price, o.break_quantities, o.break_prices, l.quantity) as price,
    o.item_id, o.item_vendor_code, o.item_barcode, o.item_title, o.brand_id, o.brand_name
  from line l, offer o
), kept as (               -- The primary key refuses the statement when the request was answered before.
  insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer)
  select client_id, 'add-cart-item', :idempotency_key, :request_digest, row_to_json(shown)
  from shown
  where :idempotency_key::text is not null
)
select cart_item_id, quantity, price, item_id, item_vendor_code, item_barcode, item_title, brand_id, brand_name
from shown
