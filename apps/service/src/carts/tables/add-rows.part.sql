-- Adds the rows of the step `matched` to the cart of the step `cart`, as one line per item, stock, contract and budget.
-- Lock order: the groups by stock, contract and budget; then the cart. If a row has an item with quantity rules, the
-- groups are locked before the quantities of their lines are read.
offered as materialized (  -- What the client may buy, or the first reason why not, in the order of add-cart-item.ts.
  select m.place, m.quantity, m.stock_id, m.advertising, m.candidates, m.ordered_price,
    i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id,
    c.contract_id, p.price as one_price, p.break_quantities, p.break_prices, i.quantity_min, i.quantity_multiple,
    i.quantity_multiple is not null as ruled,
    case when a.stock_id is not null then coalesce(l.available, 0) end as available,
    case when a.stock_id is not null then coalesce(l.back_order, false) end as back_order,
    case when m.quantity is null then 'unreadable'
      when m.matches = 0 and m.candidates is not null then 'brand_differs'
      when m.matches = 0 then 'item_not_found'
      when m.item_id is null then 'article_ambiguous'
      when s.stock_id is null then 'stock_not_found'
      when c.contract_id is null then 'contract_not_found'
      when not i.on_sale then 'item_not_on_sale'
      when a.stock_id is null then 'stock_not_serving'
      when p.price is null then 'item_not_priced'
    end as reason
  from matched m
  left join lateral (
    select i.item_id, i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.on_sale, i.quantity_min,
      i.quantity_multiple
    from items i
    where i.item_id = m.item_id
  ) i on true
  left join stocks s on s.stock_id = m.stock_id
  left join lateral (
    select a.stock_id from client_stocks a where a.client_id = :client_id and a.stock_id = m.stock_id
  ) a on true
  left join lateral (
    select c.contract_id, c.price_list_id from contracts c
    where c.client_id = :client_id and c.contract_id = coalesce(m.contract_id, (
      select d.contract_id from contracts d where d.client_id = :client_id and d.contract_default))
  ) c on true
  left join lateral (
    select p.price, p.break_quantities, p.break_prices from prices p
    where p.price_list_id = c.price_list_id and p.item_id = i.item_id
  ) p on true
  left join lateral (
    select greatest(l.on_hand - l.reserved, 0) as available, l.back_order from stock_levels l
    where l.stock_id = m.stock_id and l.item_id = i.item_id
  ) l on true
), merged as (             -- The first row of a line stands for it.
  select o.*, min(place) over line as first_place, sum(quantity) over line as line_quantity,
    not :dry_run and bool_or(reason is null and ruled) over () as holding
  from offered o
  window line as (partition by reason is null, stock_id, contract_id, advertising, item_id)
), sized as materialized (
  select m.*, case when m.holding and m.reason is null then current_quantity(:client_id, :cart_id, m.stock_id,
    m.contract_id, m.advertising, m.item_id) else coalesce(l.quantity, 0) end as in_cart
  from (select * from merged order by stock_id, contract_id, advertising, place) m
  left join lateral (
    select l.quantity
    from cart_groups g
    join cart_items l on l.client_id = g.client_id and l.cart_group_id = g.cart_group_id and l.item_id = m.item_id
    where m.reason is null and g.client_id = :client_id and g.cart_id = :cart_id
      and g.stock_id = m.stock_id and g.contract_id = m.contract_id and g.advertising = m.advertising
    offset 0 -- lookup fence
  ) l on true
), judged as materialized ( -- Of the lines that the cart has no more room for, the last ones are refused.
  select z.*, price_at(one_price, break_quantities, break_prices, total) as price,
    next_quantity(total, quantity_min, quantity_multiple) as next_quantity, coalesce(reason,
    case when exceeding then 'line_quantity_exceeded'
      when misfit then 'quantity_not_allowed'
      when in_cart = 0 and k.line_count + count(*) filter (
          where reason is null and place = first_place and in_cart = 0 and not exceeding and not misfit
        ) over (order by first_place) > :lines_max then 'cart_full'
    end) as refused
  from sized z
  cross join lateral (
    select total, total > :quantity_max as exceeding,
      next_quantity(total, quantity_min, quantity_multiple) <> total as misfit
    from (select (in_cart + coalesce(line_quantity, 0))::integer as total) t
  ) t
  cross join cart k
), ruled as materialized ( -- Whether anything is added. No row without the cart.
  select client_id, cart_id,
    not :dry_run and not (:all_rows and exists (select 1 from judged where refused is not null)) as adding
  from cart
), good as (
  select r.client_id, r.cart_id, j.place, j.stock_id, j.contract_id, j.advertising, j.item_id, j.one_price as price,
    j.line_quantity as quantity
  from ruled r, judged j
  where r.adding and j.refused is null and j.place = j.first_place
), changed as (            -- Waits while an order of a group is placed, and then starts a new group.
  insert into cart_groups (client_id, cart_id, stock_id, contract_id, advertising)
  select distinct client_id, cart_id, stock_id, contract_id, advertising from good
  order by stock_id, contract_id, advertising
  on conflict on constraint cart_groups_one_a_combination do update set version = cart_groups.version + 1
  returning client_id, cart_group_id, stock_id, contract_id, advertising
), grouped as materialized (
  select g.client_id, g.cart_group_id, o.cart_id, o.place, o.item_id, o.price, o.quantity
  from good o
  full join changed g -- hashed join
    on g.stock_id = o.stock_id and g.contract_id = o.contract_id and g.advertising = o.advertising
), line as (
  insert into cart_items (client_id, cart_group_id, item_id, quantity, last_price)
  select client_id, cart_group_id, item_id, quantity, price from grouped
  order by cart_group_id, item_id
  on conflict on constraint cart_items_one_an_item do update set
    quantity = cart_items.quantity + excluded.quantity, last_price = excluded.last_price
  returning cart_group_id, item_id, cart_item_id, quantity
), added as materialized ( -- A line with just the added quantity is new.
  select g.client_id, g.cart_id, g.place, l.cart_item_id, l.quantity, l.quantity = g.quantity as new
  from grouped g
  full join line l on l.cart_group_id = g.cart_group_id and l.item_id = g.item_id -- hashed join
), audited as (            -- One entry for all lines. A line that is there already has a quantity before.
  insert into audit_entries (audit_action, client_id, subject, old_value, new_value, actor, request_id)
  select 'cart_items_added', a.client_id, jsonb_build_object('cart_id', a.cart_id),
    jsonb_object_agg(a.cart_item_id, a.quantity - g.quantity) filter (where not a.new),
    jsonb_object_agg(a.cart_item_id, a.quantity), :actor, :request_id
  from added a
  join grouped g on g.place = a.place
  where :actor::text is not null
  group by a.client_id, a.cart_id
), counted as (            -- The constraint cart_is_full may refuse.
  update carts k set line_count = k.line_count + n.lines
  from (select client_id, cart_id, count(*) as lines from added where new group by client_id, cart_id) n
  where k.client_id = n.client_id and k.cart_id = n.cart_id
), shown as materialized (
  select j.place, j.refused, j.quantity, j.item_id, j.item_vendor_code, j.item_barcode, j.item_title, j.brand_id,
    b.brand_name, j.stock_id, j.contract_id, j.price, j.available, j.back_order, j.first_place, j.in_cart,
    j.line_quantity, j.quantity_min, j.quantity_multiple, j.next_quantity,
    j.ordered_price, j.price <> j.ordered_price as price_changed,
    a.cart_item_id, a.quantity as cart_quantity, case when j.refused = 'item_not_on_sale'
      then with_substitutes(json_build_object('item_id', j.item_id), j.item_id) end as unsold,
    (select jsonb_agg(jsonb_build_object('item_id', i.item_id, 'item_vendor_code', i.item_vendor_code,
        'item_barcode', i.item_barcode, 'item_title', i.item_title, 'brand_id', i.brand_id, 'brand_name', b.brand_name)
        order by n.place)
      from unnest(j.candidates) with ordinality as n (item_id, place)
      join items i on i.item_id = n.item_id
      join brands b on b.brand_id = i.brand_id
      where j.refused in ('article_ambiguous', 'brand_differs')) as candidates
  from judged j
  full join added a on a.place = j.first_place -- hashed join
  left join brands b on b.brand_id = j.brand_id
