-- The digests of lines and of prices in a cart group's key. Each combines one hash for each line (l), in any order, and
-- the item is the seed of its hash. Prices always have four decimal places, so equal prices have equal texts.
lpad(to_hex(bit_xor(hashint4extended(l.quantity, l.item_id))), 16, '0') as lines_digest,
  lpad(to_hex(bit_xor(hashtextextended(l.price::text, l.item_id))), 16, '0') as prices_digest
