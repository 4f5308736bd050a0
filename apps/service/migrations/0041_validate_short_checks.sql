-- outside a transaction
alter table orders validate constraint orders_state;
alter table orders validate constraint orders_shipped_states;
alter table orders validate constraint orders_archived_when_done;
alter table orders validate constraint orders_tax_mode;
alter table contracts validate constraint contract_limit_exceeded;
alter table contracts validate constraint contracts_limit;
alter table contracts validate constraint contracts_overdrawn;
alter table contracts validate constraint contracts_discount_percent;
alter table contracts validate constraint contracts_tax_percent;
alter table contracts validate constraint contracts_tax_mode;
