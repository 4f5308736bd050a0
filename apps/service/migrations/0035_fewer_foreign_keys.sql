-- Foreign keys that no statement can break: to rows that are never deleted (contracts, stocks, items) and were just
-- read by the same statement, and to the order that the same statement places or holds. Each of them cost a query for
-- each row, and a lock on the row it refers to. The invariant I26 reports what they would have refused (decision 6).
-- Those to contacts, carts and cart groups stay: they refuse requests, or delete lines with their cart.
alter table orders drop constraint if exists orders_contract, drop constraint if exists orders_stock;
alter table order_items drop constraint if exists order_items_order;
alter table order_history drop constraint if exists order_history_order;
alter table events drop constraint if exists events_order;
alter table cart_groups drop constraint if exists cart_groups_contract, drop constraint if exists cart_groups_stock;
alter table cart_items drop constraint if exists cart_items_item;
