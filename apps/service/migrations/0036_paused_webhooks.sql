-- outside a transaction
-- For list-operator-webhooks.sql. A delivery changes no column of it.
create index concurrently webhooks_paused on webhooks (webhook_id) where paused_reason is not null;
