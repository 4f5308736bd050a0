-- PostgreSQL stores a check as a text and parses it again in every statement that writes the table: a sixth of the
-- instructions of placing an order. These checks mean the same as before in a shorter form: an array is one literal
-- instead of a list of expressions, and a numeric literal needs no cast.
alter table orders
  drop constraint orders_state,
  drop constraint orders_shipped_states,
  drop constraint orders_archived_when_done,
  drop constraint orders_tax_mode,
  add constraint orders_state check
    (order_state_id = any('{new,processing,fulfilling,shipped,completed,zayavka-na-otmen,canceled}')) not valid,
  add constraint orders_shipped_states check
    (order_shipped_datetime is null or order_state_id = any('{fulfilling,shipped,completed}')) not valid,
  add constraint orders_archived_when_done check
    (order_archive_datetime is null or order_state_id = any('{completed,canceled}')) not valid,
  add constraint orders_tax_mode check (tax_mode = any('{included,added}')) not valid;

alter table contracts
  drop constraint contract_limit_exceeded,
  drop constraint contracts_limit,
  drop constraint contracts_overdrawn,
  drop constraint contracts_discount_percent,
  drop constraint contracts_tax_percent,
  drop constraint contracts_tax_mode,
  add constraint contract_limit_exceeded check
    (exposure >= '0' and (contract_limit = '0' or exposure <= contract_limit + overdrawn)) not valid,
  add constraint contracts_limit check (contract_limit >= '0') not valid,
  add constraint contracts_overdrawn check (overdrawn >= '0') not valid,
  add constraint contracts_discount_percent check (discount_percent >= '0' and discount_percent <= '100') not valid,
  add constraint contracts_tax_percent check (tax_percent >= '0' and tax_percent <= '100') not valid,
  add constraint contracts_tax_mode check (tax_mode = any('{included,added}')) not valid;
