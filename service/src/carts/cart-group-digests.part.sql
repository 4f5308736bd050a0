-- The two digests in a cart group's key, over its lines (l): of items and quantities, and of items and prices.
left(encode(sha256(convert_to(
    string_agg(l.item_id || ':' || l.quantity, ',' order by l.item_id), 'UTF8')), 'hex'), 16) as lines_digest,
  left(encode(sha256(convert_to(
    string_agg(l.item_id || ':' || trim_scale(l.price), ',' order by l.item_id), 'UTF8')), 'hex'), 16) as prices_digest
