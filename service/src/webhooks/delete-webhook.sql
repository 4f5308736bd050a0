-- Removes an endpoint, and tells the client's log. Of its log of deliveries, which may have millions of entries, nothing is shown any
-- more; the sweep deletes it in time.
with deleted as (
  delete from webhooks
  where client_id = :client_id and webhook_id = :webhook_id
  returning client_id, webhook_id, url
), numbered as (
  update clients c set webhook_count = c.webhook_count - 1, event_number = c.event_number + 1,
    event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from deleted d
  where c.client_id = d.client_id
  returning c.event_number, c.event_transaction
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select n.event_transaction, d.client_id, n.event_number, 'webhook.deleted',
    jsonb_build_object('webhook_id', d.webhook_id, 'origin', substring(d.url from '^[a-z]+://[^/?]+')), :actor, :request_id
  from deleted d, numbered n
)
select webhook_id as removed_webhook_id from deleted
