select -- columns a
from shown_adjustments a
where a.client_id = :client_id and a.order_id = :order_id and a.adjustment_id = :adjustment_id
