-- What placed-order.part.sql takes of the totals of a new order (t), and whether its contract (c) and what the client
-- was shown allow it.
c.block_reason is null and t.as_shown as allowed, t.virtual, t.line_count, t.total, t.discount, t.tax,
