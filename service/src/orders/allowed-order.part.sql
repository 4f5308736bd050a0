-- What placed-order.part.sql takes of the totals of a new order (t), and whether its contract (c) allows it.
c.block_reason is null as allowed, t.virtual, t.line_count, t.total, t.discount, t.tax,
