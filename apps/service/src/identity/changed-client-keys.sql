-- Keys that were changed recently, as they are now. The interval is well over twice the time between two refreshes.
select key_id, client_id, contact_id, digest, scopes, rate_per_second, rate_burst,
  created_at as issued_at, expires_at, revoked_at is not null as revoked
from api_keys
where changed_at > now() - interval '20 seconds'
order by changed_at desc
limit :most::bigint
