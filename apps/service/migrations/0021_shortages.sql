-- What was promised may exceed what there is: a lowered limit, or goods that a count did not find. Each row says by how
-- much, so that its constraint still refuses everything beyond. The figure is set by the statement that lowers a limit
-- or records a count, and only falls from then on: the triggers lower it with every other change of the row, so that no
-- statement can forget it. They do nothing on rows without such a figure.
-- See docs/explanation/decisions/0006-what-an-order-writes.md.

-- By how much the open orders exceed the limit since it was lowered.
alter table contracts
  add column overdrawn numeric(15, 3) not null default 0,
  add constraint contracts_overdrawn check (overdrawn >= 0),
  drop constraint contract_limit_exceeded,
  add constraint contract_limit_exceeded check (
    exposure >= 0 and (contract_limit = 0 or exposure <= contract_limit + overdrawn));

create function lower_overdrawn() returns trigger language plpgsql as $$
begin
  new.overdrawn := case when new.contract_limit = 0 then 0
    else greatest(least(new.overdrawn, new.exposure - new.contract_limit), 0) end;
  return new;
end $$;

create trigger contracts_overdrawn before update on contracts for each row
  when (old.overdrawn > 0) execute function lower_overdrawn();

-- How many of the reserved pieces a count did not find. 0 where back-orders are taken: any quantity may be reserved.
alter table stock_levels add column shortage bigint not null default 0;
alter table stock_levels add constraint stock_levels_shortage check (shortage >= 0) not valid;
alter table stock_levels
  drop constraint out_of_stock,
  add constraint out_of_stock check (reserved >= 0 and (back_order or reserved <= on_hand + shortage)) not valid;

create function lower_shortage() returns trigger language plpgsql as $$
begin
  new.shortage := case when new.back_order then 0
    else greatest(least(new.shortage, new.reserved - new.on_hand), 0) end;
  return new;
end $$;

create trigger stock_levels_shortage before update on stock_levels for each row
  when (old.shortage > 0) execute function lower_shortage();
