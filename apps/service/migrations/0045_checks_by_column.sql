-- PostgreSQL stores a check as a text, and parses it again in every statement that writes the table: a sixth of the
-- instructions of placing an order. Checks of columns that most of these statements do not change are constraint
-- triggers of these columns instead, which report the same names.
create function check_order() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.order_state_id <> all('{new,processing,fulfilling,shipped,completed,zayavka-na-otmen,canceled}')
      then 'orders_state'
    when (new.order_state_id = 'zayavka-na-otmen') <> (new.state_before_request is not null)
      then 'orders_state_before_request'
    when new.order_archive_datetime is not null and new.order_state_id <> all('{completed,canceled}')
      then 'orders_archived_when_done'
    when new.order_shipped_datetime is not null and new.order_state_id <> all('{fulfilling,shipped,completed}')
      then 'orders_shipped_states'
    when new.unique_reference <> coalesce(new.reference, '') then 'orders_unique_reference'
    when new.tax_mode <> all('{included,added}') then 'orders_tax_mode' end;
begin
  if broken is not null then
    raise check_violation using constraint = broken, message = format('an order violates the check %s', broken);
  end if;
  return null;
end $$;

create function check_contract() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.contract_limit < 0 then 'contracts_limit'
    when new.overdrawn < 0 then 'contracts_overdrawn'
    when new.discount_percent not between 0 and 100 then 'contracts_discount_percent'
    when new.tax_percent not between 0 and 100 then 'contracts_tax_percent'
    when new.tax_mode <> all('{included,added}') then 'contracts_tax_mode' end;
begin
  if broken is not null then
    raise check_violation using constraint = broken, message = format('a contract violates the check %s', broken);
  end if;
  return null;
end $$;

create function check_client() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.cart_count not between 0 and 1000 then 'cart_limit_reached'
    when new.webhook_count not between 0 and 20 then 'webhook_limit_reached' end;
begin
  if broken is not null then
    raise check_violation using constraint = broken, message = format('a client violates the check %s', broken);
  end if;
  return null;
end $$;

create constraint trigger check_order
  after insert or update of order_state_id, state_before_request, order_archive_datetime, order_shipped_datetime,
    reference, unique_reference, tax_mode on orders
  for each row execute function check_order();
create constraint trigger check_contract
  after insert or update of contract_limit, overdrawn, discount_percent, tax_percent, tax_mode on contracts
  for each row execute function check_contract();
create constraint trigger check_client
  after insert or update of cart_count, webhook_count on clients
  for each row execute function check_client();

alter table orders
  drop constraint orders_state,
  drop constraint orders_state_before_request,
  drop constraint orders_archived_when_done,
  drop constraint orders_shipped_states,
  drop constraint orders_unique_reference,
  drop constraint orders_tax_mode;
alter table contracts
  drop constraint contracts_limit,
  drop constraint contracts_overdrawn,
  drop constraint contracts_discount_percent,
  drop constraint contracts_tax_percent,
  drop constraint contracts_tax_mode;
alter table clients
  drop constraint cart_limit_reached,
  drop constraint webhook_limit_reached;
