-- The smallest quantity from this one on that the item's rules allow; the largest one of a line if there is none. A
-- quantity is allowed if it is its own next one. PostgreSQL inlines this function. Both rules may be null.
create or replace function next_quantity(quantity integer, quantity_min integer, quantity_multiple integer)
  returns integer immutable language sql as $$
  select case when quantity_multiple is null then quantity
    else least((greatest(quantity, quantity_min) + quantity_multiple - 1) / quantity_multiple,
      1000000 / quantity_multiple) * quantity_multiple end
$$;

-- The error of a quantity that they do not allow.
create or replace function quantity_error(item_id bigint, quantity integer, quantity_min integer,
  quantity_multiple integer) returns json stable language sql as $$
  select refusal_error('quantity_not_allowed', json_build_object('item_id', item_id, 'quantity', quantity,
    'next_quantity', next_quantity(quantity, quantity_min, quantity_multiple), 'quantity_min', quantity_min,
    'quantity_multiple', quantity_multiple))
$$;
