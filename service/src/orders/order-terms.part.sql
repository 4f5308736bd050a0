-- What placed-order.part.sql takes of the terms and totals of a new order (t), and whether its contract (c) allows it.
c.block_reason is null as allowed, t.cart_group_id, t.fingerprint, t.stock_id, t.stock_name, t.contract_id,
    t.advertising, t.virtual, t.unique_references, t.line_count, t.total, t.discount, t.tax, t.rate, t.order_shipping,
    t.discount_percent, t.tax_mode, t.tax_percent, t.currency_code, t.minor_digits,
