-- Changes the rate limit of a key. Every process notices by changed_at.
with held as materialized (
  select key_id, rate_per_second, rate_burst from api_keys where key_id = :key_id for no key update
), changed as (
  update api_keys k set rate_per_second = coalesce(:rate_per_second, k.rate_per_second),
    rate_burst = coalesce(:rate_burst, k.rate_burst), changed_at = now()
  from held h
  where k.key_id = h.key_id
  returning k.*
), happened as (
  select client_id, 0 as place, 'key.changed' as event_type, null::bigint as order_id,
    jsonb_build_object('key_id', key_id) || with_values_before(:changes::jsonb, to_jsonb(h)) as data
  from changed join held h using (key_id)
), -- include ../events/record-events.part.sql
)
select -- columns k
from changed k
