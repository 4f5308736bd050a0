-- Changes a client's name or settings, or replaces the stocks that serve it. The client's row is locked first, because
-- nothing that holds rows of client_stocks waits for it. PostgreSQL applies one update of a row in a statement, so this
-- update numbers the event as well.
with seen as materialized (
  select client_id, version, 1 as events, jsonb_build_object('client_name', client_name,
    'unique_references', unique_references, 'stock_ids', array(
      select a.stock_id from client_stocks a where a.client_id = c.client_id order by a.preference, a.stock_id)) as held
  from clients c
  where client_id = :client_id
), numbered as (           -- If the version is the one seen, the stocks seen are still the client's.
  update clients c set client_name = coalesce(:client_name, c.client_name),
    unique_references = coalesce(:unique_references, c.unique_references), version = c.version + 1,
    -- include ../events/number-events.part.sql
  from seen h
  where c.client_id = h.client_id and c.version = h.version
  returning c.client_id, c.client_name, c.unique_references, c.event_number - h.events as last_number,
    c.event_transaction, h.held
), withdrawn as (
  delete from client_stocks a
  using numbered c
  where a.client_id = c.client_id and a.stock_id <> all(:stock_ids::bigint[])
), added as (
  insert into client_stocks (client_id, stock_id, preference)
  select c.client_id, s.stock_id, s.place
  from numbered c, unnest(:stock_ids::bigint[]) with ordinality s (stock_id, place)
  on conflict on constraint client_stocks_pkey do update set preference = excluded.preference
), happened as (
  select client_id, 0 as place, 'client.changed' as event_type, null::bigint as order_id,
    with_values_before(:changes::jsonb, held) as data
  from numbered
), recorded as (
  -- include ../events/insert-events.part.sql
)
select c.client_id, c.client_name, c.unique_references, coalesce((
    select jsonb_agg(jsonb_build_object('stock_id', s.stock_id, 'stock_name', s.stock_name) order by n.place)
    from unnest(coalesce(:stock_ids, array(
      select a.stock_id from client_stocks a where a.client_id = c.client_id order by a.preference, a.stock_id)))
      with ordinality n (stock_id, place)
    join stocks s on s.stock_id = n.stock_id
  ), '[]') as stocks
from numbered c
