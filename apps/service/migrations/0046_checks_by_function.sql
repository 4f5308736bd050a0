-- outside a transaction
-- PostgreSQL parses the text of a check in every statement that writes the table, but compiles a function once in a
-- session. Checks of columns that an order changes in one row call functions instead. They mean the same and keep their
-- names. Each table is locked alone.
create or replace function is_within_limit(exposure numeric, contract_limit numeric, overdrawn numeric)
  returns boolean immutable language plpgsql as $$
begin
  return exposure >= 0 and (contract_limit = 0 or exposure <= contract_limit + overdrawn);
end $$;

create or replace function is_line_count(lines integer) returns boolean immutable language plpgsql as $$
begin
  return lines between 0 and 1000;
end $$;

alter table contracts
  drop constraint if exists contract_limit_exceeded,
  add constraint contract_limit_exceeded check (is_within_limit(exposure, contract_limit, overdrawn)) not valid;
alter table carts
  drop constraint if exists cart_is_full,
  add constraint cart_is_full check (is_line_count(line_count)) not valid;

-- Of a level, two checks instead of three.
alter table stock_levels
  drop constraint if exists stock_levels_shortage,
  drop constraint if exists out_of_stock,
  add constraint out_of_stock check
    (reserved >= 0 and shortage >= 0 and (back_order or reserved <= on_hand + shortage)) not valid;

-- order_items_shipped says it too: what is shipped is not negative, and the quantity is not below it.
alter table order_items drop constraint if exists order_items_quantity;

alter table contracts validate constraint contract_limit_exceeded;
alter table carts validate constraint cart_is_full;
alter table stock_levels validate constraint out_of_stock;
