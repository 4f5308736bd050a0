select -- include ../webhook-columns.part.sql
from webhooks w
where w.client_id = :client_id and w.webhook_id = :webhook_id
