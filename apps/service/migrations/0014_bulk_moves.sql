-- Which move of many orders at once wrote the entry: a random id for each order and request. After a lost connection,
-- the request finds out with it whether its own statement has moved the order. Null for all other entries.
alter table order_history add column move_id uuid;
