select -- include adjustment-columns.part.sql
from adjustments a
join order_items i on i.client_id = a.client_id and i.order_id = a.order_id and i.order_item_id = a.order_item_id
where a.client_id = :client_id and a.order_id = :order_id and a.adjustment_id = :adjustment_id
