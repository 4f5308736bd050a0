-- The terms of an order from a cart group, by the contract (c), its price list (r) and the currency (u).
c.price_list_id, c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code, u.minor_digits, u.rate,
  0::numeric as order_shipping,
  -- include terms-digest.part.sql
