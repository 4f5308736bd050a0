/** The digests in a cart group's key, by the functions of the service's cart_group_key.sql. */

/** Of lines called `l`. */
export const digestsSql = `digest_text(bit_xor(line_hash(l.item_id, l.quantity))) as lines_digest,
  digest_text(bit_xor(price_hash(l.item_id, l.price))) as prices_digest`

/** Of a contract `c`, its price list `r` and its currency `u`. */
export const termsDigestSql = `terms_digest(c.discount_percent, c.tax_mode, c.tax_percent, r.currency_code, u.minor_digits, u.rate)
  as terms_digest`
