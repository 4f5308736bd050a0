-- The event of this request's move of the order, looked for among the client's newest :events_max events.
select e.event_number
from orders o
join clients c on c.client_id = o.client_id
join events e on e.client_id = o.client_id and e.event_number > c.event_number - :events_max
where o.order_id = :order_id and e.order_id = o.order_id and e.event_type = 'order.state_changed'
  and e.request_id = :request_id
