with before as (
  select stock_id, stock_name, lead_days, cut_off, closed_weekdays from stocks where stock_id = :stock_id
), put as (
  insert into stocks as s (stock_id, stock_name, lead_days, cut_off, closed_weekdays)
  values (:stock_id, :stock_name, :lead_days, :cut_off::text::time, :closed_weekdays::bigint[]::smallint[])
  on conflict (stock_id) do update set stock_name = excluded.stock_name, lead_days = excluded.lead_days,
    cut_off = excluded.cut_off, closed_weekdays = excluded.closed_weekdays
  returning s.stock_id, s.stock_name, s.lead_days, s.cut_off, s.closed_weekdays
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'stock', to_jsonb(put) || jsonb_build_object('before', (select to_jsonb(before) from before)),
    :actor, :request_id
  from put
)
select stock_id, stock_name, lead_days, left(cut_off::text, 5) as cut_off,
  closed_weekdays::bigint[] as closed_weekdays
from put
