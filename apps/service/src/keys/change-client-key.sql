-- Changes the rate limit of a key. Every process notices by changed_at.
with changed as (
  update api_keys set rate_per_second = coalesce(:rate_per_second, rate_per_second),
    rate_burst = coalesce(:rate_burst, rate_burst), changed_at = now()
  where key_id = :key_id
  returning *
), happened as (
  select client_id, 0 as place, 'key.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('key_id', key_id) || :changes::jsonb as data
  from changed
), -- include ../events/record-events.part.sql
)
select -- columns k
from changed k
