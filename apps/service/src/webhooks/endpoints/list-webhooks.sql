select -- include ../webhook-columns.part.sql
from webhooks w
where w.client_id = :client_id
order by w.webhook_id
