-- Closes a stock on a day, or opens it again. Nothing changes if it is so already. No row means that there is no stock.
with stock as (
  select stock_id from stocks
  where stock_id = :stock_id
), added as (
  insert into stock_closed_days (stock_id, closed_on)
  select stock_id, :date from stock
  where :closed
  on conflict on constraint stock_closed_days_pkey do nothing
  returning stock_id, closed_on
), removed as (
  delete from stock_closed_days x
  using stock s
  where x.stock_id = s.stock_id and x.closed_on = :date and not :closed
  returning x.stock_id, x.closed_on
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select 'stock', jsonb_build_object('stock_id', stock_id, 'date', closed_on, 'closed', :closed), :actor, :request_id
  from (select stock_id, closed_on from added union all select stock_id, closed_on from removed) c
)
select stock_id, :date::date as date, :closed::boolean as closed from stock
