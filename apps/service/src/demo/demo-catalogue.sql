-- A parts distributor's catalogue: 2,000 packagings of 800 products, with prices and stock levels.
-- Everything is calculated from row numbers, so that two fresh demos are the same.

insert into brands (brand_id, brand_name)
select n, name
from unnest(array[
  'Arvenko', 'Brandtwick', 'Brixholm', 'Calverto', 'Dornbeck', 'Eskilvard', 'Ferrowick', 'Gralund', 'Halmquist',
  'Istrova', 'Jarnefors', 'Kestrava', 'Lumendahl', 'Morvento', 'Nordvalk', 'Ostermere', 'Pellgarth', 'Quillmark',
  'Rothvane', 'Svelander'
]) with ordinality as b (name, n);

-- The kinds of products. Ten kinds come in two packagings and ten in three; a brand has two of a kind's eight variants:
-- 20 brands × 2 variants × (10 × 2 + 10 × 3) packagings are 2,000 items.
create temporary table kinds on commit drop as
select row_number() over () as kind, k.*
from (values
  ('Brake disc', 'pc', array[1, 2], 31.40, array[
    'front 256 mm solid', 'front 280 mm vented', 'front 300 mm vented', 'front 320 mm drilled',
    'rear 245 mm solid', 'rear 260 mm solid', 'rear 286 mm vented', 'rear 300 mm vented'
  ]),
  ('Brake pad set', 'set', array[1, 10], 24.90, array[
    'front', 'front with wear sensor', 'front low dust', 'front ceramic', 'rear', 'rear with wear sensor',
    'rear low dust', 'rear for parking brake'
  ]),
  ('Brake fluid', 'l', array[1, 5, 20], 7.80, array[
    'DOT 3', 'DOT 4', 'DOT 4 low viscosity', 'DOT 4 racing', 'DOT 5', 'DOT 5 silicone', 'LHM mineral',
    'LHM synthetic'
  ]),
  ('Oil filter', 'pc', array[1, 10, 50], 4.60, array[
    'spin-on 66 mm', 'spin-on 76 mm', 'spin-on 93 mm', 'cartridge 64 mm', 'cartridge 72 mm', 'cartridge 83 mm',
    'magnetic 76 mm', 'long life 76 mm'
  ]),
  ('Air filter', 'pc', array[1, 10], 8.90, array[
    'panel 240 mm', 'panel 280 mm', 'panel 315 mm', 'round 200 mm', 'round 240 mm', 'conical 150 mm',
    'washable 280 mm', 'heavy duty 330 mm'
  ]),
  ('Cabin filter', 'pc', array[1, 10], 9.70, array[
    'particle 216 mm', 'particle 245 mm', 'particle 280 mm', 'activated carbon 216 mm', 'activated carbon 245 mm',
    'activated carbon 280 mm', 'antiallergic 245 mm', 'antiallergic 280 mm'
  ]),
  ('Fuel filter', 'pc', array[1, 5, 20], 12.30, array[
    'petrol inline 8 mm', 'petrol inline 10 mm', 'petrol in tank', 'diesel inline 8 mm', 'diesel cartridge 80 mm',
    'diesel cartridge 96 mm', 'diesel with water separator', 'diesel heated'
  ]),
  ('Spark plug', 'pc', array[1, 4, 100], 3.90, array[
    'nickel 14 mm', 'nickel 12 mm', 'platinum 14 mm', 'platinum 12 mm', 'iridium 14 mm', 'iridium 12 mm',
    'double iridium 12 mm', 'gas engine 14 mm'
  ]),
  ('Ignition coil', 'pc', array[1, 4], 27.50, array[
    'pencil 2 pins', 'pencil 3 pins', 'pencil 4 pins', 'rail 4 cylinders', 'block 4 cylinders',
    'block 6 cylinders', 'single 3 pins', 'single 4 pins'
  ]),
  ('Engine oil', 'l', array[1, 5, 60], 8.20, array[
    '0W20 synthetic', '0W30 synthetic', '5W30 synthetic', '5W40 synthetic', '5W30 low ash',
    '10W40 semi synthetic', '15W40 mineral', '10W60 racing'
  ]),
  ('Coolant', 'l', array[1, 5, 20], 4.10, array[
    'G11 concentrate', 'G12 concentrate', 'G13 concentrate', 'G40 concentrate', 'G11 ready mixed',
    'G12 ready mixed', 'G13 ready mixed', 'G40 ready mixed'
  ]),
  ('Timing belt kit', 'set', array[1, 5], 68.00, array[
    '120 teeth', '132 teeth', '141 teeth', '150 teeth', '120 teeth with water pump', '132 teeth with water pump',
    '141 teeth with water pump', '150 teeth with water pump'
  ]),
  ('Water pump', 'pc', array[1, 4], 36.70, array[
    'metal impeller', 'plastic impeller', 'with housing', 'with gasket', 'electric 12 V', 'electric 24 V',
    'switchable', 'auxiliary 12 V'
  ]),
  ('Shock absorber', 'pc', array[1, 2], 49.90, array[
    'front gas left', 'front gas right', 'front oil', 'rear gas', 'rear oil', 'rear reinforced', 'front sport',
    'rear sport'
  ]),
  ('Wheel bearing kit', 'set', array[1, 2], 33.20, array[
    'front 72 mm', 'front 82 mm', 'front with hub', 'front with ABS ring', 'rear 62 mm', 'rear 72 mm',
    'rear with hub', 'rear with ABS ring'
  ]),
  ('Stabiliser link', 'pc', array[1, 2, 10], 9.40, array[
    'front left', 'front right', 'front reinforced', 'rear left', 'rear right', 'rear reinforced', 'front 280 mm',
    'rear 140 mm'
  ]),
  ('Wiper blade', 'pc', array[1, 2, 20], 6.50, array[
    'flat 400 mm', 'flat 480 mm', 'flat 530 mm', 'flat 600 mm', 'flat 650 mm', 'rear 300 mm', 'rear 350 mm',
    'hybrid 600 mm'
  ]),
  ('Headlight bulb', 'pc', array[1, 2, 50], 4.80, array[
    'H1 55 W', 'H4 60 W', 'H7 55 W', 'H11 55 W', 'H7 long life', 'H4 plus 100', 'D1S xenon', 'D3S xenon'
  ]),
  ('Clutch kit', 'set', array[1, 3], 112.00, array[
    '190 mm', '200 mm', '215 mm', '228 mm', '240 mm', '228 mm with bearing', '240 mm with bearing',
    '240 mm reinforced'
  ]),
  ('Hose clamp', 'pc', array[10, 50, 200], 0.35, array[
    '8 to 12 mm', '10 to 16 mm', '12 to 22 mm', '16 to 27 mm', '20 to 32 mm', '25 to 40 mm', '32 to 50 mm',
    '40 to 60 mm'
  ])
) as k (kind_name, unit, sizes, price, variants);

create temporary table demo_products on commit drop as
select row_number() over (order by b.brand_id, k.kind, v.variant) as product_id, b.brand_id, v.variant, k.unit, k.sizes,
  k.kind_name || ' ' || v.variant_name as product_name,
  k.price * (7 + v.variant) / 10 * (84 + b.brand_id) / 100 as price
from brands b
cross join kinds k
cross join unnest(k.variants) with ordinality as v (variant_name, variant)
where v.variant % 4 = b.brand_id % 4;

insert into products (product_id, product_name)
select product_id, product_name from demo_products;

create temporary table demo_items on commit drop as
select row_number() over (order by p.product_id, s.size) as item_id, p.product_id, p.brand_id,
  p.product_name || ', ' || s.size || ' ' || p.unit
    || case when s.size > 1 and p.unit <> 'l' then 's' else '' end as item_title,
  p.price * s.size * case when s.size > 1 then 0.88 else 1 end as price -- A larger packaging is cheaper by the piece.
from demo_products p
cross join unnest(p.sizes) as s (size);

-- Barcodes that begin with 2 are reserved for internal use, so none of these belongs to a real product.
insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
select i.item_id, i.product_id, i.brand_id, c.codes[i.brand_id] || '-' || 10000 + i.item_id,
  e.body || e.check_digit, i.item_title
from demo_items i
cross join (values (array[
  'AV', 'BW', 'BX', 'CT', 'DB', 'EV', 'FW', 'GL', 'HQ', 'IS',
  'JF', 'KV', 'LD', 'MV', 'NV', 'OM', 'PG', 'QM', 'RV', 'SV'
])) c (codes)
cross join lateral (        -- EAN-13: the digits weigh 1 and 3 in turn; the check digit completes a multiple of ten.
  select d.body,
    (10 - sum(substr(d.body, n, 1)::integer * case when n % 2 = 0 then 3 else 1 end) % 10) % 10 as check_digit
  from (values ('200' || lpad((i.item_id * 7919)::text, 9, '0'))) d (body)
  cross join generate_series(1, 12) n
  group by d.body
) e;

insert into item_words (word, item_id)
select distinct w.word, i.item_id
from items i
cross join lateral (
  select lower(i.item_vendor_code)
  union all select i.item_barcode
  union all select regexp_split_to_table(lower(i.item_title), '[^[:alnum:]]+')
  union all select trim(',.;:()' from regexp_split_to_table(lower(i.item_title), '\s+'))
) w (word)
where w.word <> '';

insert into currencies (currency_code, minor_digits, rate)
values ('EUR', 2, 1), ('CHF', 2, 1.07), ('PLN', 2, 0.235), ('JPY', 0, 0.0061);

insert into price_lists (price_list_id, price_list_name, currency_code)
values (1, 'Dealer prices', 'EUR'), (2, 'Volume prices', 'EUR');

insert into prices (price_list_id, item_id, price)
select l.price_list_id, i.item_id, greatest(round(i.price * l.factor, 2), 0.01)
from demo_items i
cross join (values (1, 1), (2, 0.92)) l (price_list_id, factor);

-- Hose clamps that are sold in fives from 20 on, and cheaper from 100 and from 500 on.
update items set quantity_min = 20, quantity_multiple = 5 where item_id = 98;
update prices set break_quantities = '{100,500}', break_prices = array[round(price * 0.9, 2), round(price * 0.8, 2)]
where item_id = 98;

insert into stocks (stock_id, stock_name, lead_days, closed_weekdays)
values (1, 'Hamburg', 0, '{}'), (2, 'Leipzig', 0, '{}'), (3, 'Rotterdam', 1, '{7}');

-- From 0 to 500 pieces. Every twelfth level is empty, some allow back-orders, and Rotterdam lacks every fifth item.
insert into stock_levels (stock_id, item_id, on_hand, back_order)
select s.stock_id, i.item_id,
  case when (i.item_id + s.stock_id * 5) % 12 = 0 then 0 else (i.item_id * 7919 + s.stock_id * 104729) % 501 end,
  (i.item_id + s.stock_id) % 17 = 0
from demo_items i
cross join stocks s
where s.stock_id <> 3 or i.item_id % 5 <> 0;

alter table brands alter column brand_id restart with 21;
alter table products alter column product_id restart with 801;
alter table items alter column item_id restart with 2001;
alter table price_lists alter column price_list_id restart with 3;
alter table stocks alter column stock_id restart with 4;
