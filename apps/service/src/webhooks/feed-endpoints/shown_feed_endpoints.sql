-- The endpoints of the feed as they are shown.
create or replace view shown_feed_endpoints as
select f.endpoint_id, f.url, f.event_types, f.paused_reason is null as active, f.paused_reason, f.paused_at,
  f.generation, f.after_transaction::text as after_transaction, f.after_client, f.after_number, f.attempts,
  f.failing_since, f.last_failure, case when f.paused_reason is null then f.next_attempt_at end as next_attempt_at,
  case when f.previous_secret_until > now() then f.previous_secret_until end as previous_secret_until, f.created_at,
  f.secret
from feed_endpoints f;

-- The endpoint after a function has changed it; none if that was refused. As a function, it reads what was just
-- written.
create or replace function feed_endpoint(id bigint, refused json) returns setof shown_feed_endpoints rows 1
  language plpgsql as $$
begin
  if refused is null then
    return query select * from shown_feed_endpoints f where f.endpoint_id = id;
  end if;
end $$;

-- What audit entries say of an endpoint. Only the origin of the URL: the rest may contain a token.
create or replace function feed_endpoint_values(f feed_endpoints) returns jsonb immutable language sql as $$
  select jsonb_build_object('origin', substring(f.url from '^[a-z]+://[^/?]+'), 'event_types', f.event_types,
    'paused_reason', f.paused_reason)
$$;

-- Refuses a position whose next events have expired.
create or replace function feed_position_refusal(
  generation integer, after_transaction text, after_client bigint, after_number bigint
) returns json stable language sql as $$
  select case when coalesce(f.generation, 0) <> feed_position_refusal.generation
      or (f.expired_transaction, f.expired_client, f.expired_number)
        > (after_transaction::xid8, after_client, after_number)
    then refusal('feed_expired') end
  from (select) one
  left join event_feed f on f.is_one
$$;
