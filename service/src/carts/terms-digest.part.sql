-- The digest of the terms in a cart group's key: everything besides lines and prices that the total depends on, by the
-- contract (c), its price list (r) and the currency (u).
lpad(to_hex(hashtextextended(concat_ws('|', c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code,
    u.minor_digits, u.rate), 0)), 16, '0') as terms_digest
