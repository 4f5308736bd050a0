-- outside a transaction
alter table clients validate constraint client_not_blocked;
