-- Endpoints by id: those of one client, or of all, or of these only the ones that are paused or active. Which branch
-- runs depends on the parameters alone.
select -- include ../webhook-columns.part.sql
from (
  (
    select * from webhooks
    where :client_id::bigint is null and :paused::boolean is not true and webhook_id > :after_id
      and (:paused::boolean is null or paused_reason is null)
    order by webhook_id
    limit :page_size
  ) union all (
    select * from webhooks
    where :client_id::bigint is null and :paused::boolean and webhook_id > :after_id and paused_reason is not null
    order by webhook_id
    limit :page_size
  ) union all (
    select * from webhooks
    where client_id = :client_id and webhook_id > :after_id
      and (:paused::boolean is null or :paused::boolean = (paused_reason is not null))
    order by webhook_id
    limit :page_size
  )
) w
order by w.webhook_id
limit :page_size
