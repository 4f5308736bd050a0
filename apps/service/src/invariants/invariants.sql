-- What must hold for the whole database at any moment. Each row is a violation; no rows mean that all invariants hold.
-- Reads everything once and locks nothing: it can run on a live system, or on a replica of a large one.

with contract_events as (  -- What events say of a contract: its own, and those of its orders.
  select e.client_id, e.event_number, o.order_id is not null as of_order,
    coalesce(o.contract_id, (e.data ->> 'contract_id')::bigint) as contract_id,
    e.data ->> 'contract_name' as contract_name, (e.data ->> 'contract_limit')::numeric as contract_limit
  from events e
  left join orders o on o.client_id = e.client_id and o.order_id = e.order_id
  where e.data ? 'contract_name' or e.data ? 'contract_limit'
), violations as (
select 'I1 reserved within on_hand' as invariant,
  format('stock %s, item %s: reserved %s, on hand %s', stock_id, item_id, reserved, on_hand) as violation
from stock_levels
where reserved < 0 or (reserved > on_hand + shortage and not back_order)

union all
select 'I2 reserved is what open orders hold',
  format('stock %s, item %s: reserved %s, held %s', stock_id, item_id, coalesce(l.reserved, 0), coalesce(h.held, 0))
from stock_levels l
full join (
  select o.stock_id, i.item_id, sum(i.order_item_quantity - i.shipped_quantity) as held
  from orders o
  join order_items i using (client_id, order_id)
  where not o.virtual and o.order_state_id in ('new', 'processing', 'fulfilling', 'zayavka-na-otmen')
  group by o.stock_id, i.item_id
) h using (stock_id, item_id)
where coalesce(l.reserved, 0) <> coalesce(h.held, 0)

union all
select 'I3 one order a cart group',
  format('client %s, group %s: %s orders', client_id, cart_group_id, count(*))
from orders
group by client_id, cart_group_id
having count(*) > 1

union all
select 'I4 totals add up',
  format('client %s, order %s: total %s, lines %s', o.client_id, o.order_id, o.order_total, s.goods)
from orders o
join (
  select o.client_id, o.order_id, sum(round(i.order_item_price * i.order_item_quantity, o.minor_digits)) as goods
  from orders o
  join order_items i using (client_id, order_id)
  group by o.client_id, o.order_id
) s using (client_id, order_id)
where o.order_total
  <> s.goods - o.order_discount + o.order_shipping + case o.tax_mode when 'added' then o.order_tax else 0 end

union all
select 'I5 the newest history entry is the state',
  format('client %s, order %s: state %s, history %s', o.client_id, o.order_id, o.order_state_id, h.state_id)
from orders o
left join order_history h on h.client_id = o.client_id and h.order_id = o.order_id and h.entry = o.history_count
where h.state_id is distinct from o.order_state_id

union all
select 'I5 history without gaps',
  format('client %s, order %s: %s entries counted, %s there, the last is %s',
    o.client_id, o.order_id, o.history_count, h.entries, h.last)
from orders o
join (
  select client_id, order_id, count(*) as entries, max(entry) as last
  from order_history
  group by client_id, order_id
) h using (client_id, order_id)
where o.history_count <> h.entries or o.history_count <> h.last

union all
select 'I6 every order has lines',
  format('client %s, order %s', o.client_id, o.order_id)
from orders o
where not exists (         -- Lines with quantity 0 were removed; an order of which nothing is left is cancelled.
  select 1 from order_items i
  where i.client_id = o.client_id and i.order_id = o.order_id
    and (i.order_item_quantity > 0 or o.order_state_id = 'canceled')
)

union all
select 'I6 every order has its event',
  format('client %s, order %s: %s', o.client_id, o.order_id, count(e.event_number))
from orders o
join clients c on c.client_id = o.client_id
left join events f on f.client_id = c.client_id and f.event_number = c.first_event_number
left join events e on e.client_id = o.client_id and e.order_id = o.order_id and e.event_type = 'order.created'
group by o.client_id, o.order_id, o.order_create_datetime, c.first_event_number, f.event_datetime
having count(e.event_number) > 1
  -- There is none when it expired before the first event that is kept. A statement may have waited up to a minute for
  -- its event number.
  or (count(e.event_number) = 0
    and (c.first_event_number = 1 or o.order_create_datetime > f.event_datetime + interval '1 minute'))

union all
select 'I7 event numbers without gaps',
  format('client %s: first %s, counter %s, %s events from %s to %s',
    c.client_id, c.first_event_number, c.event_number, e.events, e.first, e.last)
from clients c
left join (                -- Those before the first have expired. Their table is dropped soon.
  select e.client_id, count(*) as events, min(e.event_number) as first, max(e.event_number) as last
  from events e
  join clients k on k.client_id = e.client_id and k.first_event_number <= e.event_number
  group by e.client_id
) e using (client_id)
where c.event_number <> coalesce(e.last, c.first_event_number - 1)
  or c.first_event_number <> coalesce(e.first, c.event_number + 1)
  or coalesce(e.events, 0) <> c.event_number - c.first_event_number + 1

union all                  -- In each of the two tables the primary key refuses it.
select 'I27 an event number is used once',
  format('client %s, event %s', client_id, event_number)
from only events
join events_before b using (client_id, event_number)

union all
select 'I28 what has expired was set aside',
  format('client %s: first %s, but %s events before it', client_id, c.first_event_number, count(*))
from only events e
join clients c using (client_id)
where e.event_number < c.first_event_number
group by client_id, c.first_event_number

union all
select 'I8 no row refers across clients',
  format('client %s, cart item %s', l.client_id, l.cart_item_id)
from cart_items l
left join cart_groups g using (client_id, cart_group_id)
left join carts k using (client_id, cart_id)
left join contracts c using (client_id, contract_id)
where k.cart_id is null or c.contract_id is null

union all
select 'I8 no row refers across clients',
  format('client %s, order %s', o.client_id, o.order_id)
from orders o
left join contracts c using (client_id, contract_id)
left join contacts p on p.client_id = o.client_id and p.contact_id = o.order_contact_id
where c.contract_id is null or p.contact_id is null

union all
select 'I10 nothing ordered is still in a cart',
  format('client %s, group %s', g.client_id, g.cart_group_id)
from cart_groups g
join orders o using (client_id, cart_group_id)

union all
select 'I11 exposure is the sum of open orders',
  format('client %s, contract %s: exposure %s, open %s', client_id, c.contract_id, c.exposure, coalesce(o.open, 0))
from contracts c
left join (
  select client_id, contract_id, sum(order_total) as open
  from orders
  where order_state_id not in ('canceled', 'completed')
  group by client_id, contract_id
) o using (client_id, contract_id)
where c.exposure <> coalesce(o.open, 0)

union all
select 'I12 counted lines and carts',
  format('client %s, cart %s: counted %s, there %s', k.client_id, k.cart_id, k.line_count, coalesce(l.lines, 0))
from carts k
left join (
  select client_id, cart_id, count(*) as lines
  from cart_groups join cart_items using (client_id, cart_group_id)
  group by client_id, cart_id
) l using (client_id, cart_id)
where k.line_count <> coalesce(l.lines, 0)

union all
select 'I12 counted lines and carts',
  format('client %s: counted %s carts, there %s', c.client_id, c.cart_count, coalesce(k.carts, 0))
from clients c
left join (select client_id, count(*) as carts from carts group by client_id) k using (client_id)
where c.cart_count <> coalesce(k.carts, 0)

union all
select 'I13 exactly one default contract',
  format('client %s: %s', c.client_id, count(k.contract_id))
from clients c
left join contracts k on k.client_id = c.client_id and k.contract_default
group by c.client_id
having count(k.contract_id) <> 1

union all
select 'I14 open adjustments only where adjustable',
  format('client %s, order %s, adjustment %s: state %s', a.client_id, a.order_id, a.adjustment_id, o.order_state_id)
from adjustments a
join orders o using (client_id, order_id)
where a.adjustment_status = 'WAIT' and o.order_state_id not in ('new', 'processing')

union all
select 'I15 archived once',
  format('client %s, order %s: archived %s, %s events', client_id, o.order_id, o.order_archive_datetime, count(*))
from events e
join orders o using (client_id, order_id)
where e.event_type = 'order.archived'
group by client_id, o.order_id, o.order_archive_datetime
having count(*) > 1 or o.order_archive_datetime is null

union all
select 'I12 counted lines and carts',
  format('client %s: counted %s webhooks, there %s', c.client_id, c.webhook_count, coalesce(k.webhooks, 0))
from clients c
left join (select client_id, count(*) as webhooks from webhooks group by client_id) k using (client_id)
where c.webhook_count <> coalesce(k.webhooks, 0)

union all
select 'I23 no more comes back than was shipped',
  format('client %s, order %s, line %s: shipped %s, returned %s',
    client_id, order_id, order_item_id, i.shipped_quantity, r.quantity)
from order_items i
join (
  select client_id, order_id, order_item_id, sum(quantity) as quantity
  from order_return_lines
  group by client_id, order_id, order_item_id
) r using (client_id, order_id, order_item_id)
where r.quantity > i.shipped_quantity

union all
select 'I25 clients are found by the words of their names',
  format('client %s, contact %s: %s', coalesce(w.client_id, s.client_id), coalesce(w.contact_id, s.contact_id),
    coalesce(w.word, s.word))
from client_words w
full join (
  select client_id, 0::bigint as contact_id, word from clients, search_words(client_name) word
  union all
  select client_id, contact_id, word from contacts, search_words(concat_ws(' ', contact_name, contact_email)) word
) s on s.word = w.word and s.client_id = w.client_id and s.contact_id = w.contact_id
where w.word is null or s.word is null

union all
select 'I26 no row refers to a missing one',
  format('client %s, order %s: stock %s', client_id, order_id, o.stock_id)
from orders o
left join stocks s using (stock_id)
where s.stock_id is null

union all
select 'I26 no row refers to a missing one',
  format('client %s, order %s: %s %s of no order', client_id, order_id, r.rows, r.kind)
from (
  select client_id, order_id, 'lines' as kind, count(*) as rows from order_items group by client_id, order_id
  union all
  select client_id, order_id, 'history entries', count(*) from order_history group by client_id, order_id
  union all
  select client_id, order_id, 'events', count(*) from events where order_id is not null group by client_id, order_id
) r
left join orders o using (client_id, order_id)
where o.order_id is null

union all
select 'I26 no row refers to a missing one',
  format('client %s, cart group %s: stock %s, contract %s', client_id, cart_group_id, g.stock_id, g.contract_id)
from cart_groups g
left join stocks s using (stock_id)
left join contracts c using (client_id, contract_id)
where s.stock_id is null or c.contract_id is null

union all
select 'I26 no row refers to a missing one',
  format('client %s, cart item %s: item %s', client_id, cart_item_id, l.item_id)
from cart_items l
left join items i using (item_id)
where i.item_id is null

union all
select 'I16 no webhook is ahead of its events',
  format('client %s, webhook %s: delivered %s, happened %s',
    w.client_id, w.webhook_id, w.delivered_event_number, c.event_number)
from webhooks w
join clients c using (client_id)
where w.delivered_event_number > c.event_number

union all
select 'I17 a line has the quantity of its last change',
  format('client %s, order %s, line %s: quantity %s, changed to %s',
    client_id, order_id, order_item_id, i.order_item_quantity, c.quantity_after)
from order_items i
join (
  select distinct on (client_id, order_id, order_item_id) client_id, order_id, order_item_id, quantity_after
  from order_item_changes
  order by client_id, order_id, order_item_id, entry desc
) c using (client_id, order_id, order_item_id)
where i.order_item_quantity <> c.quantity_after

union all
select 'I18 only an open order is on hold',
  format('client %s, order %s: state %s', client_id, order_id, order_state_id)
from orders
where hold_reason is not null and order_state_id not in ('new', 'processing', 'fulfilling', 'zayavka-na-otmen')

union all
select 'I19 one line an item',
  format('client %s, order %s, item %s: %s lines', client_id, order_id, item_id, count(*))
from order_items
where order_item_quantity > 0
group by client_id, order_id, item_id
having count(*) > 1

union all
select 'I20 shipped is what the shipments have',
  format('client %s, order %s, line %s: shipped %s of %s, in shipments %s',
    client_id, order_id, order_item_id, i.shipped_quantity, i.order_item_quantity, coalesce(p.quantity, 0))
from order_items i
left join (
  select client_id, order_id, order_item_id, sum(quantity) as quantity
  from shipment_lines
  group by client_id, order_id, order_item_id
) p using (client_id, order_id, order_item_id)
where i.shipped_quantity <> coalesce(p.quantity, 0) or i.shipped_quantity > i.order_item_quantity

union all
select 'I20 an order is shipped when nothing is open',
  format('client %s, order %s: state %s, open %s', client_id, order_id, o.order_state_id, l.open)
from orders o
join (
  select client_id, order_id, sum(order_item_quantity - shipped_quantity) as open
  from order_items
  group by client_id, order_id
) l using (client_id, order_id)
where o.order_shipped_datetime is not null and (l.open = 0) <> (o.order_state_id in ('shipped', 'completed'))

union all
select 'I20 the last shipment dates the order',
  format('client %s, order %s: shipped %s, last shipment %s', client_id, order_id, o.order_shipped_datetime, p.last)
from orders o
full join (
  select client_id, order_id, max(shipment_datetime) as last from shipments group by client_id, order_id
) p using (client_id, order_id)
where o.order_shipped_datetime is distinct from p.last

union all
select 'I21 a contract is overdrawn by what exceeds its limit',
  format('client %s, contract %s: exposure %s, limit %s, overdrawn %s',
    client_id, contract_id, exposure, contract_limit, overdrawn)
from contracts
where overdrawn <> case when contract_limit = 0 then 0 else greatest(exposure - contract_limit, 0) end

union all
select 'I22 a shortage is what a count did not find',
  format('stock %s, item %s: reserved %s, on hand %s, shortage %s, %s counts',
    stock_id, item_id, reserved, on_hand, shortage, counts)
from stock_levels
where shortage <> case when back_order then 0 else greatest(reserved - on_hand, 0) end or (shortage > 0 and counts = 0)

union all
select 'I29 an event shows its contract as the events before it',
  format('client %s, event %s: %s %s, but event %s has %s', k.client_id, k.event_number, k.contract_name,
    k.contract_limit, c.event_number, coalesce(c.contract_name, c.contract_limit::text))
from (
  select client_id, event_number, of_order, contract_name, contract_limit,
    max(event_number) filter (where not of_order and contract_name is not null) over earlier as named_in,
    max(event_number) filter (where not of_order and contract_limit is not null) over earlier as limited_in
  from contract_events
  window earlier as (partition by client_id, contract_id order by event_number)
) k
join contract_events c on c.client_id = k.client_id
  and (c.event_number = k.named_in and c.contract_name <> k.contract_name
    or c.event_number = k.limited_in and c.contract_limit <> k.contract_limit)
where k.of_order

union all
select 'I30 an erasure leaves nothing in the words of the contact',
  format('client %s, order %s: %s', o.client_id, o.order_id, w.event_type)
from orders o
join contacts p on p.client_id = o.client_id and p.contact_id = o.order_contact_id
join events w on w.client_id = o.client_id and w.order_id = o.order_id -- The event of the comment, or of the reason.
left join adjustments a on a.client_id = o.client_id and a.adjustment_id = (w.data ->> 'adjustment_id')::bigint
left join return_requests q
  on q.client_id = o.client_id and q.return_request_id = (w.data ->> 'return_request_id')::bigint
left join orders_to_erase t on t.client_id = o.client_id and t.order_id = o.order_id -- Its address is erased later.
where p.contact_name = erased_name()
  and (w.event_type = 'order.created' and (o.comment is not null or t.order_id is null)
    or w.event_type = 'adjustment.created' and a.reason is not null
    or w.event_type = 'return_request.created' and q.reason <> '')
  and exists (
    select from events e
    where e.client_id = o.client_id and e.event_number > w.event_number and e.event_type = 'contact.changed'
      and e.data @> jsonb_build_object('contact_id', p.contact_id, 'contact_name', p.contact_name))

union all
select 'I31 sealed audit entries are as they were sealed',
  format('day %s: entries %s to %s were changed, added or deleted', s.day, s.first_id, s.last_id)
from audit_seals s
where s.dropped_at is null and audit_hash(s) <> s.hash

union all
select 'I31 each seal of the audit log follows the one before', format('day %s', s.day)
from (
  select day, first_id, previous_hash, lag(hash) over days as hash_before, lag(last_id) over days as id_before
  from audit_seals
  window days as (order by day)
) s
where s.previous_hash is distinct from s.hash_before or s.first_id <= s.id_before

union all
select 'I31 only whole sealed days of the audit log are dropped, the oldest first', format('day %s', s.day)
from audit_seals s
where s.dropped_at is not null
  and (exists (select from audit_entries a where a.audit_id between s.first_id and s.last_id)
    or exists (select from audit_seals o where o.day < s.day and o.dropped_at is null))

union all
select 'I31 audit entries follow the last seal without gaps',
  format('%s entries up to %s, after entry %s of %s', u.entries, u.last_id, u.sealed_id, u.sealed_day)
from (
  select count(*) as entries, max(a.audit_id) as last_id, coalesce(s.last_id, min(a.audit_id) - 1) as sealed_id,
    s.day as sealed_day, min(a.audit_datetime) as first_at
  from audit_entries a
  left join (
    select day, last_id from audit_seals order by day desc limit 1
  ) s on true
  where a.audit_id > coalesce(s.last_id, 0)
  group by s.day, s.last_id
) u
where u.entries <> u.last_id - u.sealed_id or u.first_at < (u.sealed_day + 1)::timestamp at time zone 'UTC'

union all
select 'I31 the last audit entries and seals are there',
  format('the last entry is %s of %s, and there are %s seals of %s', n.last_id, c.last_id, n.seals, c.seals)
from audit_counter c
cross join (
  select greatest((select max(audit_id) from audit_entries), max(last_id), 0) as last_id, count(*) as seals
  from audit_seals
) n
where n.last_id <> c.last_id or n.seals <> c.seals

), counted as (            -- A bug may break thousands of rows; some of each invariant are enough to find it.
  select invariant, violation, row_number() over (partition by invariant order by violation) as place,
    count(*) over (partition by invariant) as violations
  from violations
)
select invariant, case when place <= 20 then violation else format('and %s more', violations - 20) end as violation
from counted
where place <= 21
order by invariant, place
