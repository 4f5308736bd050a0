-- Creates an endpoint that receives the feed from a position on, or from now on. A repeated request gets the endpoint
-- with its present secret.
create or replace function create_feed_endpoint(
  endpoint_url text, types text[], new_secret text, generation integer, after_transaction text, after_client bigint,
  after_number bigint, endpoints_max bigint, actor text, request_id text, idempotency_key text, request_digest bytea,
  out created_id bigint, out refused json
) language plpgsql as $$
declare
  earlier json;
  created feed_endpoints;
begin
  select * into earlier, refused
  from operator_retry(actor, 'create-feed-endpoint', idempotency_key, request_digest);
  if refused is not null then return; end if;
  if earlier is not null then
    created_id := (earlier ->> 'endpoint_id')::bigint;
    if not exists (select from feed_endpoints f where f.endpoint_id = created_id) then
      refused := refusal('feed_endpoint_not_found', json_build_object('endpoint_id', created_id));
    end if;
    return;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('feed_endpoints', 0)); -- Two requests must not pass the limit.
  refused := case
    when (select count(*) from feed_endpoints) >= endpoints_max then
      refusal('feed_endpoint_limit_reached', json_build_object('limit', endpoints_max))
    when after_transaction is not null then
      feed_position_refusal(generation, after_transaction, after_client, after_number)
    end;
  if refused is not null then return; end if;

  insert into feed_endpoints as f (url, event_types, secret, generation, after_transaction, after_client, after_number)
  values (endpoint_url, types, new_secret,
    coalesce(generation, (select f.generation from event_feed f), 0),
    coalesce(create_feed_endpoint.after_transaction::xid8, events_horizon()),
    coalesce(create_feed_endpoint.after_client, 0), coalesce(create_feed_endpoint.after_number, 0))
  returning f.* into created;
  created_id := created.endpoint_id;
  insert into audit_entries (audit_action, subject, new_value, actor, request_id)
  values ('feed_endpoint_created', jsonb_build_object('endpoint_id', created_id), feed_endpoint_values(created),
    create_feed_endpoint.actor, create_feed_endpoint.request_id);
  perform keep_operator_answer(actor, 'create-feed-endpoint', idempotency_key, request_digest,
    json_build_object('endpoint_id', created_id));
end $$;
