-- Deletes an endpoint. Its delivery log is no longer shown, and the sweep deletes it over time.
with deleted as (
  delete from feed_endpoints f
  where f.endpoint_id = :endpoint_id
  returning f.endpoint_id, feed_endpoint_values(f) as old_value
), audited as (
  insert into audit_entries (audit_action, subject, old_value, actor, request_id)
  select 'feed_endpoint_deleted', jsonb_build_object('endpoint_id', endpoint_id), old_value, :actor, :request_id
  from deleted
)
select endpoint_id as removed_endpoint_id from deleted
