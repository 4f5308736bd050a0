-- The digests in a cart group's key (cart-group-key.ts). PostgreSQL inlines these functions.
create or replace function digest_text(hash bigint) returns text immutable language sql as $$
  select lpad(to_hex(hash), 16, '0')
$$;

-- Of a line, and of its price: bit_xor combines those of a group, in any order, and the item is the seed of its hash.
-- Prices always have four decimal places, so equal prices have equal texts.
create or replace function line_hash(item_id bigint, quantity integer) returns bigint immutable language sql as $$
  select hashint4extended(quantity, item_id)
$$;
create or replace function price_hash(item_id bigint, price numeric) returns bigint immutable language sql as $$
  select hashtextextended(price::text, item_id)
$$;

-- Of everything besides lines and prices that the total depends on.
create or replace function terms_digest(discount_percent numeric, tax_mode text, tax_percent numeric,
  currency_code text, minor_digits smallint, rate numeric) returns text stable language sql as $$
  select digest_text(hashtextextended(
    concat_ws('|', discount_percent, tax_mode, tax_percent, currency_code, minor_digits, rate), 0))
$$;
