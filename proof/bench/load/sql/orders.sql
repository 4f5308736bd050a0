-- A batch of orders with lines, history, shipments, adjustments and events, as if each had been placed and processed.
-- The shipments of archived orders were not recorded yet.
with planned as (          -- Contract ids are unique here; with client_id in the join the planner would expect one row.
  select o.*, c.price_list_id, c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code, u.minor_digits,
    u.rate, jsonb_build_object('stock_name', s.stock_name, 'contract_name', c.contract_name,
      'contract_default', c.contract_default, 'contract_service', c.contract_service,
      'contract_limit', c.contract_limit) as terms
  from bench_load.orders o
  join stocks s on s.stock_id = o.stock_id
  join contracts c on c.contract_id = o.contract_id
  join price_lists r on r.price_list_id = c.price_list_id
  join currencies u on u.currency_code = r.currency_code
  where o.order_id between :from and :to
), lines as materialized ( -- Without the lookup fence every batch hashes all items.
  select o.client_id, o.order_id, o.order_id * 5 - 5 + n as order_item_id, o.created_at, o.pace, o.last_event,
    o.minor_digits, o.adjustment_status, o.order_id >= :orders * 0.75 and 'shipped' = any(o.states) as recorded,
    array_position(o.states, 'shipped') as shipped_entry, n,
    1 + pg_temp.pick(o.order_id * 5 + n, 17, 12) as quantity, i.*
  from planned o
  cross join generate_series(1, 5) n
  cross join lateral (
    select i.item_id, i.product_id, i.product_name, i.brand_id, i.brand_name, i.item_vendor_code, i.item_barcode,
      i.item_title, coalesce(i.prices[o.price_list_id], 100) as price -- Items without a price now had one then.
    from bench_load.offers i
    where i.item_id = pg_temp.item_of(o.client_id, (pg_temp.pick(o.order_id, 18, 200) + n * 41) % 200)
    offset 0 -- lookup fence
  ) i
), sums as (
  select order_id, sum(round(price * quantity, minor_digits)) as goods from lines group by order_id
), totals as (
  select o.*, y.discount, z.tax, s.goods - y.discount + case o.tax_mode when 'added' then z.tax else 0 end as total,
    case when cardinality(o.states) > 1 and pg_temp.pick(o.order_id, 20, 4) = 0
      then o.created_at::date + 3 end as shipping_date,
    case when o.state_id in ('new', 'processing', 'fulfilling') and pg_temp.pick(o.order_id, 21, 50) = 0
      then 'Payment is overdue.' end as hold_reason
  from planned o
  join sums s on s.order_id = o.order_id
  cross join lateral (select round(s.goods * o.discount_percent / 100, o.minor_digits) as discount) y
  cross join lateral (
    select round((s.goods - y.discount) * o.tax_percent
      / case o.tax_mode when 'added' then 100 else 100 + o.tax_percent end, o.minor_digits) as tax
  ) z
), placed as (
  insert into orders (client_id, order_id, order_number, order_contact_id, order_create_datetime,
    order_update_datetime, order_state_id, state_before_request, order_total, order_rate, order_tax, order_discount,
    discount_percent, tax_mode, tax_percent, currency_code, minor_digits, order_archive_datetime, stock_id,
    contract_id, order_advertising, virtual, history_count, cart_group_id, cart_group_fingerprint, request_digest,
    zip, country_code, region_code, city, street, home, room, reference, order_shipped_datetime,
    order_shipping_date, hold_reason)
  select client_id, order_id, 100000 + order_id, client_id * 2 - 1, created_at,
    created_at + pace * (cardinality(states) - 1), state_id,
    case state_id when 'zayavka-na-otmen' then states[cardinality(states) - 1] end,
    total, rate, tax, discount, discount_percent, tax_mode, tax_percent, currency_code, minor_digits,
    case when order_id < :orders * 0.75 then created_at + interval '90 days' end, stock_id, contract_id,
    case when pg_temp.pick(order_id, 19, 20) = 0 then 'Spring campaign' end, virtual, cardinality(states), order_id,
    md5(order_id::text), sha256(convert_to(order_id::text, 'UTF8')),
    lpad((client_id % 99999)::text, 5, '0'), 'DE', 'DE-BE', 'Berlin', 'Lindenstraße', (1 + client_id % 200)::text, null,
    case when order_id % 2 = 0 then 'PO-' || order_id end,
    case when order_id >= :orders * 0.75 then created_at + pace * (array_position(states, 'shipped') - 1) end,
    shipping_date, hold_reason
  from totals
), bought as (
  insert into order_items (client_id, order_id, order_item_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime,
    shipped_quantity)
  select client_id, order_id, order_item_id, item_id, product_id, product_name, brand_id, brand_name,
    item_vendor_code, item_barcode, item_title, quantity, price, created_at, case when recorded then quantity else 0 end
  from lines
), sent as (
  insert into shipments (client_id, order_id, shipment_id, entry, shipment_datetime, carrier, tracking, shipped_by)
  select client_id, order_id, order_id, shipped_entry, created_at + pace * (shipped_entry - 1), 'DHL',
    '0034' || order_id, 'operator 1 key 1'
  from lines
  where recorded and n = 1
), packed as (
  insert into shipment_lines (client_id, order_id, shipment_id, order_item_id, quantity)
  select client_id, order_id, order_id, order_item_id, quantity
  from lines
  where recorded
), adjusted as (
  insert into adjustments (client_id, order_id, adjustment_id, order_item_id, adjustment_date_create,
    adjustment_status, adjustment_canceled_message, quantity_before, quantity_wanted, difference, decided_at,
    decided_by)
  select client_id, order_id, order_item_id, order_item_id, created_at + pace / 4, adjustment_status,
    case adjustment_status when 'CANCELED' then 'The goods are already packed.' end,
    case adjustment_status when 'ACCEPTED' then quantity + 2 else quantity end,
    case adjustment_status when 'ACCEPTED' then quantity else quantity + 2 end,
    case adjustment_status when 'ACCEPTED' then -2 else 0 end,
    case adjustment_status when 'WAIT' then null else created_at + pace / 2 end,
    case adjustment_status when 'WAIT' then null else 'operator 1 key 1' end
  from lines
  where adjustment_status is not null and n <= 3
), changed as (            -- The accepted ones, by the entry after the order's creation.
  insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
  select l.client_id, l.order_id, 2, l.order_item_id, l.quantity + 2, l.quantity
  from lines l
  join totals t on t.order_id = l.order_id
  where l.adjustment_status = 'ACCEPTED' and l.n <= 3 and cardinality(t.states) > 1
), noted as (              -- An internal note on every fifth order.
  insert into order_notes (client_id, order_id, note_datetime, note_author, note_text, request_id)
  select client_id, order_id, created_at, 'operator 1 key 1', 'Call before loading.', 'req-' || order_id
  from totals
  where order_id % 5 = 0
), history as (
  insert into order_history (client_id, order_id, entry, date, "group", state_id)
  select t.client_id, t.order_id, h.entry, t.created_at + t.pace * (h.entry - 1), 'Change of status', h.state_id
  from totals t
  cross join lateral unnest(t.states) with ordinality as h (state_id, entry)
), happened as (
  select t.client_id, t.order_id, t.last_event, h.entry * 10 as place,
    case h.entry when 1 then 'order.created' else 'order.state_changed' end as event_type,
    t.created_at + t.pace * (h.entry - 1) as at,
    t.terms || jsonb_build_object('order_update_datetime', t.created_at + t.pace * (h.entry - 1),
      'order_state_id', h.state_id, 'order_total', t.total, 'order_tax', t.tax, 'order_discount', t.discount,
      'order_shipping_date', case when h.entry > 1 then t.shipping_date end, 'order_archive_datetime', null,
      'virtual', t.virtual, 'history_count', h.entry) as data
  from totals t
  cross join lateral unnest(t.states) with ordinality as h (state_id, entry)
  union all
  select l.client_id, l.order_id, l.last_event, e.place, e.event_type, l.created_at + l.pace / 4 * (e.place - 10),
    jsonb_build_object('adjustment_id', l.order_item_id, 'adjustment_status', e.status,
      'adjustment_canceled_message', case e.status when 'CANCELED' then 'The goods are already packed.' end,
      'difference', case e.status when 'ACCEPTED' then -2 else 0 end)
  from lines l
  cross join lateral (
    values (11, 'adjustment.created', 'WAIT'), (12, 'adjustment.decided', l.adjustment_status)
  ) as e (place, event_type, status)
  where l.adjustment_status is not null and l.n <= 3 and (e.place = 11 or l.adjustment_status <> 'WAIT')
), recorded as (
  select client_id,
    last_event - count(*) over (partition by order_id) + row_number() over (partition by order_id order by place)
      as event_number,
    event_type, at, order_id, data,
    case event_type when 'order.state_changed' then 'operator 1 key 1' else 'key ' || client_id end as actor,
    'req-' || md5(order_id || '.' || place) as request_id
  from happened
), set_aside as (          -- The older half, as if it had been set aside to expire.
  insert into events_before (client_id, event_number, event_type, event_datetime, order_id, data, actor, request_id)
  select client_id, event_number, event_type, at, order_id, data, actor, request_id from recorded
  where order_id <= :orders / 2
)
insert into events (client_id, event_number, event_type, event_datetime, order_id, data, actor, request_id)
select client_id, event_number, event_type, at, order_id, data, actor, request_id from recorded
where order_id > :orders / 2
