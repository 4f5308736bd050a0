-- Stock levels by stock and item. Exactly one of the three ways runs and walks one index from the start of the page.
-- One item has at most as many levels as there are stocks.
with page as (
  (select l.stock_id, l.item_id, l.on_hand, l.reserved, l.back_order, l.shortage from stock_levels l
   where :item_id::bigint is null and :stock_id::bigint is null
     and (l.stock_id, l.item_id) > (:after_stock, :after_item)
   order by l.stock_id, l.item_id
   limit :page_size)
  union all
  (select l.stock_id, l.item_id, l.on_hand, l.reserved, l.back_order, l.shortage from stock_levels l
   where :item_id is null and l.stock_id = :stock_id and l.item_id > :after_item
   order by l.item_id
   limit :page_size)
  union all
  (select l.stock_id, l.item_id, l.on_hand, l.reserved, l.back_order, l.shortage from stocks k
   cross join lateral (select s.* from stock_levels s where s.stock_id = k.stock_id and s.item_id = :item_id) l
   where (:stock_id is null or k.stock_id = :stock_id) and k.stock_id > :after_stock
   order by k.stock_id
   limit :page_size)
)
select p.stock_id, k.stock_name, p.item_id, i.item_vendor_code, i.item_title, p.on_hand, p.reserved, p.back_order,
  p.shortage
from page p
join stocks k on k.stock_id = p.stock_id
cross join lateral (select item_vendor_code, item_title from items where item_id = p.item_id) i
order by p.stock_id, p.item_id
