create unlogged table bench_load.held as
select o.stock_id, i.item_id, sum(i.order_item_quantity) as held
from bench_load.orders o
join order_items i on i.client_id = o.client_id and i.order_id = o.order_id
where not o.virtual and o.state_id in ('new', 'processing', 'fulfilling', 'zayavka-na-otmen')
group by o.stock_id, i.item_id
