-- Changes an endpoint; null leaves a field as it is. The lease is dropped: a message in flight was sent under the old
-- terms and is sent again under the new ones. A new secret is a rotation: the previous one stays valid for a day, and
-- the one before that ends at once.
create or replace function change_feed_endpoint(
  changed_id bigint, new_url text, types text[], active boolean, new_secret text, generation integer,
  after_transaction text, after_client bigint, after_number bigint, actor text, request_id text,
  idempotency_key text, request_digest bytea, out refused json
) language plpgsql as $$
declare
  earlier json;
  held feed_endpoints;
  changed feed_endpoints;
begin
  select * into earlier, refused
  from operator_retry(actor, 'rotate-feed-secret', idempotency_key, request_digest);
  if refused is not null then return; end if;

  select * into held from feed_endpoints f where f.endpoint_id = changed_id for no key update;
  refused := case
    when held.endpoint_id is null then
      refusal('feed_endpoint_not_found', json_build_object('endpoint_id', changed_id))
    when after_transaction is not null then
      feed_position_refusal(generation, after_transaction, after_client, after_number)
    end;
  if refused is not null or earlier is not null then return; end if;

  update feed_endpoints f set url = coalesce(new_url, f.url), event_types = coalesce(types, f.event_types),
    generation = coalesce(change_feed_endpoint.generation, f.generation),
    after_transaction = coalesce(change_feed_endpoint.after_transaction::xid8, f.after_transaction),
    after_client = coalesce(change_feed_endpoint.after_client, f.after_client),
    after_number = coalesce(change_feed_endpoint.after_number, f.after_number),
    secret = coalesce(new_secret, f.secret),
    previous_secret = case when new_secret is null then f.previous_secret else f.secret end,
    previous_secret_until = case when new_secret is null then f.previous_secret_until
      else now() + interval '24 hours' end,
    paused_reason = case active when true then null when false then coalesce(f.paused_reason, 'operator')
      else f.paused_reason end,
    paused_at = case active when true then null when false then coalesce(f.paused_at, now()) else f.paused_at end,
    lease = null, leased_until = null, attempts = 0, failing_since = null, last_failure = null, next_attempt_at = null
  where f.endpoint_id = changed_id
  returning f.* into changed;
  insert into audit_entries (audit_action, subject, old_value, new_value, actor, request_id)
  values ('feed_endpoint_changed', jsonb_build_object('endpoint_id', changed_id), feed_endpoint_values(held),
    feed_endpoint_values(changed)
      || case when new_secret is null then '{}' else '{"secret": "rotated"}'::jsonb end
      || case when after_transaction is null then '{}' else '{"cursor": "moved"}'::jsonb end,
    change_feed_endpoint.actor, change_feed_endpoint.request_id);
  perform keep_operator_answer(actor, 'rotate-feed-secret', idempotency_key, request_digest,
    json_build_object('endpoint_id', changed_id));
end $$;
