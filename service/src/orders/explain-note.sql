-- Why a note cannot be added: how many entries and notes the order has.
select o.history_count, (
  select count(*) from order_notes m where m.client_id = o.client_id and m.order_id = o.order_id
) as note_count
from orders o
where o.order_id = :order_id
