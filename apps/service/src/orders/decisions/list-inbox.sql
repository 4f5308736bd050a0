-- Open cancellation, adjustment and return requests, oldest first, with the effect of accepting each. Each kind is read
-- from its own index. A cancellation and a return have a row for each line; an adjustment is one row.
with after as (            -- Where the previous page ended: time, kind, id.
  select timestamptz 'epoch' + :after_micros::bigint * interval '1 microsecond' as time,
    case :after_kind::text when 'cancellation' then :after_id::bigint when 'return' then 9223372036854775807
      else 0 end as cancellation,
    case :after_kind when 'adjustment' then :after_id else 9223372036854775807 end as adjustment,
    case :after_kind when 'return' then :after_id else 0 end as returned
), waiting as (
  (select 'cancellation' as kind, o.order_update_datetime as since, o.order_id as id, o.client_id, o.order_id
   from orders o
   where o.order_state_id = 'zayavka-na-otmen'
     and (o.order_update_datetime, o.order_id) > ((select time from after), (select cancellation from after))
   order by o.order_update_datetime, o.order_id
   limit :page_size)
  union all
  (select 'adjustment', a.adjustment_date_create, a.adjustment_id, a.client_id, a.order_id
   from adjustments a
   where a.adjustment_status = 'WAIT'
     and (a.adjustment_date_create, a.adjustment_id) > ((select time from after), (select adjustment from after))
   order by a.adjustment_date_create, a.adjustment_id
   limit :page_size)
  union all
  (select 'return', q.request_datetime, q.return_request_id, q.client_id, q.order_id
   from return_requests q
   where q.request_status = 'WAIT'
     and (q.request_datetime, q.return_request_id) > ((select time from after), (select returned from after))
   order by q.request_datetime, q.return_request_id
   limit :page_size)
), page as (
  select * from waiting
  order by since, kind, id
  limit :page_size
)
select p.kind, (extract(epoch from p.since) * 1000000)::bigint as since_micros, p.since,
  floor(extract(epoch from now() - p.since))::bigint as age_seconds, p.id,
  k.client_id, k.client_name, o.order_id, o.order_number, o.reference, o.order_state_id, o.state_before_request,
  o.order_total, o.virtual, o.stock_id, c.contract_id, c.contract_limit, c.exposure, d.total_difference,
  c.contract_limit > 0 and d.total_difference > 0 and c.exposure + d.total_difference > c.contract_limit as over_limit,
  i.order_item_id, i.item_id, i.item_vendor_code, i.item_title, i.order_item_quantity, a.quantity_before,
  a.quantity_wanted, coalesce(a.reason, q.reason) as reason, g.emptied,
  greatest(l.on_hand - l.reserved, 0) as available, l.back_order, r.quantity as returning, case
    when r.quantity is not null then i.shipped_quantity - (
      select coalesce(sum(x.quantity), 0)::integer from order_return_lines x
      where x.client_id = i.client_id and x.order_id = i.order_id and x.order_item_id = i.order_item_id
    ) - (
      select coalesce(sum(y.quantity), 0)::integer
      from return_requests z
      join return_request_lines y on y.client_id = z.client_id and y.order_id = z.order_id
        and y.return_request_id = z.return_request_id
      where z.client_id = i.client_id and z.order_id = i.order_id and z.request_status = 'ACCEPTED'
        and y.order_item_id = i.order_item_id
    ) end as returnable,
  coalesce(a.quantity_wanted, 0) in (0, next_quantity(a.quantity_wanted, n.quantity_min, n.quantity_multiple))
    as quantity_allowed
from page p
join clients k on k.client_id = p.client_id
join orders o on o.client_id = p.client_id and o.order_id = p.order_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
left join adjustments a
  on a.client_id = p.client_id and a.order_id = p.order_id and a.adjustment_id = p.id and p.kind = 'adjustment'
left join return_requests q
  on q.client_id = p.client_id and q.order_id = p.order_id and q.return_request_id = p.id and p.kind = 'return'
left join return_request_lines r
  on r.client_id = q.client_id and r.order_id = q.order_id and r.return_request_id = q.return_request_id
join order_items i
  on i.client_id = o.client_id and i.order_id = o.order_id
  and (p.kind = 'cancellation' and i.order_item_quantity > 0
    or i.order_item_id = coalesce(a.order_item_id, r.order_item_id))
join items n on n.item_id = i.item_id
left join stock_levels l on l.stock_id = o.stock_id and l.item_id = i.item_id
cross join lateral ( -- The order with the adjustment carried out, under its own terms.
  select sum(round(x.order_item_price * x.quantity, o.minor_digits)) as goods, sum(x.quantity) = 0 as emptied
  from (
    select x.order_item_price,
      case when x.order_item_id = a.order_item_id then a.quantity_wanted else x.order_item_quantity end as quantity
    from order_items x
    where x.client_id = o.client_id and x.order_id = o.order_id
  ) x
) g
cross join lateral order_totals(g.goods, o.discount_percent, o.tax_mode, o.tax_percent, o.minor_digits,
  o.order_shipping) t
cross join lateral (
  select case when p.kind = 'return' then 0
    else case when p.kind = 'cancellation' or g.emptied then 0 else t.total end - o.order_total end as total_difference
) d
order by p.since, p.kind, p.id, i.order_item_id
