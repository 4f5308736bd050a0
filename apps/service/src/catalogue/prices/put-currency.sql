-- The decimal places stay: totals have been rounded to them. Orders keep the rate at which they were placed.
with before as (
  select currency_code, minor_digits, rate from currencies where currency_code = :currency_code
), put as (
  insert into currencies as u (currency_code, minor_digits, rate)
  values (:currency_code, :minor_digits::integer, :rate)
  on conflict (currency_code) do update set rate = excluded.rate where u.minor_digits = excluded.minor_digits
  returning u.currency_code, u.minor_digits, u.rate
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'currency', to_jsonb(put) || jsonb_build_object('before', (select to_jsonb(before) from before)),
    :actor, :request_id
  from put
)
select currency_code, minor_digits::integer as minor_digits, rate from put
