-- Each client has a cart with one group, and every second client another cart with two groups. A group has five lines;
-- the first group of every twentieth client has 500. All lines can be ordered.
with groups as (
  select c.client_id, c.client_id * 2 - case g when 1 then 1 else 0 end as cart_id,
    :orders + c.client_id * 3 - 3 + g as cart_group_id, g,
    1 + (c.client_id + g % 2) % 3 as stock_id, c.contract_id, c.price_list_id,
    case g when 2 then 'Spring campaign' else '' end as advertising,
    case when g = 1 and c.client_id % 20 = 0 then 500 else 5 end as lines
  from generate_series(1, 3) g
  join contracts c on c.client_id between :from and :to and c.contract_default = (g < 3)
  where g = 1 or c.client_id % 2 = 0
), lines as (
  select g.client_id, g.cart_id, g.cart_group_id, i.item_id, 1 + pg_temp.pick(i.item_id, 21, 10) as quantity, i.price
  from groups g
  cross join lateral generate_series(1, g.lines) n
  cross join lateral (
    select i.item_id, i.prices[g.price_list_id] as price
    from bench_load.offers i
    where i.item_id = pg_temp.item_of(g.client_id, n + 7 * g.g) and i.on_sale and i.prices[g.price_list_id] is not null
    offset 0 -- lookup fence
  ) i
), line as (
  insert into cart_items (client_id, cart_item_id, cart_group_id, item_id, quantity, last_price)
  select client_id, (cart_group_id - :orders) * 1000 + row_number() over (partition by cart_group_id order by item_id),
    cart_group_id, item_id, quantity, price
  from lines
), filled as (
  insert into cart_groups (client_id, cart_group_id, cart_id, stock_id, contract_id, advertising)
  select client_id, cart_group_id, cart_id, stock_id, contract_id, advertising from groups
)
insert into carts (client_id, cart_id, cart_name, line_count)
select client_id, cart_id, 'Cart ' || cart_id, count(*) from lines group by client_id, cart_id
