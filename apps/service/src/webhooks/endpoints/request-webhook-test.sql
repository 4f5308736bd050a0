-- Requests a test event from the worker; a second request before it is sent changes nothing. The row lock keeps the
-- endpoint from being deleted in between.
with found as (
  select client_id, webhook_id from webhooks
  where client_id = :client_id and webhook_id = :webhook_id
  for key share
), requested as (
  insert into webhook_tests (client_id, webhook_id)
  select client_id, webhook_id from found
  on conflict (client_id, webhook_id) do nothing
)
select webhook_id from found
