-- outside a transaction
-- Adjustments of any status, newest first: of all clients, and of one.
create index concurrently adjustments_by_status on adjustments (adjustment_status, adjustment_id);
create index concurrently adjustments_of_client on adjustments (client_id, adjustment_status, adjustment_id);
