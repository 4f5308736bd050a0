-- A blocked client, or one under a blocked contract, places no new orders. Everything else continues.
alter table clients add column block_reason text;
alter table contracts add column block_reason text;
