-- When autovacuum cleans the tables in which most dead rows arise: each order is changed at least four times, and
-- events and delivery logs are deleted after some weeks. By default it waits until a fifth of a table is dead, which is
-- two million of ten million rows. Measured with `npm run bench -- years` over 730 days, with and without, beside
-- further settings that had little effect and are left out (docs/explanation/scale.md): the heap of events 1.04 instead
-- of 1.21 times its rebuilt size, of webhook_deliveries 1.08 instead of 1.22, of order_items 1.02 instead of 1.09, and
-- the indexes of orders 1.51 instead of 1.68. No operation became measurably cheaper.
alter table orders set (autovacuum_vacuum_scale_factor = 0.02);
alter table order_items set (autovacuum_vacuum_scale_factor = 0.02);
alter table events set (autovacuum_vacuum_scale_factor = 0.02);
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02);

-- The last use of a key is written again and again: with room on its page, 89 instead of 70 % of the updates write no
-- index, and the indexes do not grow (1.00 instead of 1.71). It holds for pages that are written from now on.
alter table api_keys set (fillfactor = 70);
