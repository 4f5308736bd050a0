-- What the distributor's lists of all clients' orders are found by.

-- A stock's orders by state; those in all states are seven lists that merge, which saves an index that every new order would pay for.
create index orders_of_all_by_stock on orders (stock_id, order_state_id, order_create_datetime desc, order_id desc);

-- A contract's orders are found among its client's.
create unique index contracts_by_id on contracts (contract_id);

create index order_items_of_all_by_article on order_items (lower(item_vendor_code), order_create_datetime desc, order_id desc);
