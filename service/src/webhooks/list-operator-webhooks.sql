-- All clients' endpoints, by id.
select -- include webhook-columns.part.sql
from webhooks w
where w.webhook_id > :after_id
order by w.webhook_id
limit :page_size
