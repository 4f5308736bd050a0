-- Changes a client's name, or the stocks that serve it as a whole. The client's row is locked first: nothing that holds stocks of
-- clients waits for it.
with seen as materialized (
  select client_id, version from clients
  where client_id = :client_id
), changed as (            -- With the version that was seen, the stocks that were seen are the client's.
  update clients c set client_name = coalesce(:client_name, c.client_name), version = c.version + 1,
    event_number = c.event_number + 1, event_transaction = greatest(c.event_transaction, pg_current_xact_id())
  from seen s
  where c.client_id = s.client_id and c.version = s.version
  returning c.client_id, c.client_name, c.event_number, c.event_transaction
), withdrawn as (
  delete from client_stocks a
  using changed c
  where a.client_id = c.client_id and a.stock_id <> all(:stock_ids::bigint[])
), added as (
  insert into client_stocks (client_id, stock_id)
  select c.client_id, unnest(:stock_ids::bigint[]) from changed c
  on conflict on constraint client_stocks_pkey do nothing
), event as (
  insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
  select event_transaction, client_id, event_number, 'client.changed', :changes::jsonb, :actor, :request_id from changed
)
select c.client_id, c.client_name,
  coalesce((select jsonb_agg(jsonb_build_object('stock_id', s.stock_id, 'stock_name', s.stock_name) order by s.stock_id)
    from stocks s
    where s.stock_id = any(coalesce(:stock_ids, array(select a.stock_id from client_stocks a where a.client_id = c.client_id)))), '[]') as stocks
from changed c
