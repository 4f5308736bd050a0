select -- include operator-item-columns.part.sql
from items i
join brands b on b.brand_id = i.brand_id
join products p on p.product_id = i.product_id
where i.item_id = :item_id
