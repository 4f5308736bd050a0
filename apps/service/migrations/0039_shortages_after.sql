-- The triggers of 0021_shortages.sql run after the update instead of before it. Before an update with such a trigger,
-- PostgreSQL locks each row in a step of its own and writes that to the WAL, even for rows on which the trigger does
-- nothing: once for each line of every order. Now only rows with such a figure are updated a second time.
create or replace function lower_overdrawn() returns trigger language plpgsql as $$
declare
  lowered numeric := case when new.contract_limit = 0 then 0
    else greatest(least(new.overdrawn, new.exposure - new.contract_limit), 0) end;
begin
  if lowered < new.overdrawn then
    update contracts set overdrawn = lowered where client_id = new.client_id and contract_id = new.contract_id;
  end if;
  return null;
end $$;

create or replace trigger contracts_overdrawn after update on contracts for each row
  when (old.overdrawn > 0) execute function lower_overdrawn();

create or replace function lower_shortage() returns trigger language plpgsql as $$
declare
  lowered bigint := case when new.back_order then 0
    else greatest(least(new.shortage, new.reserved - new.on_hand), 0) end;
begin
  if lowered < new.shortage then
    update stock_levels set shortage = lowered where stock_id = new.stock_id and item_id = new.item_id;
  end if;
  return null;
end $$;

create or replace trigger stock_levels_shortage after update on stock_levels for each row
  when (old.shortage > 0) execute function lower_shortage();
