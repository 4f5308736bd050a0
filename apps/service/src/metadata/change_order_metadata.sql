-- Merges what the distributor keeps with an order. An empty value removes its key.
create or replace function change_order_metadata(
  order_id bigint, changes jsonb, keys_max integer, actor text, request_id text, out answer jsonb, out refused json
) language plpgsql as $$
declare
  held orders;
  earlier jsonb;
begin
  select * into held from orders o where o.order_id = change_order_metadata.order_id for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  end if;
  select jsonb_object_agg(m.key, m.value) into earlier from order_metadata m
  where m.client_id = held.client_id and m.order_id = held.order_id and not m.by_client;
  select * into answer, refused from merged_metadata(earlier, changes, keys_max);
  if refused is not null or answer = coalesce(earlier, '{}') then return; end if;

  delete from order_metadata m where m.client_id = held.client_id and m.order_id = held.order_id and not m.by_client;
  insert into order_metadata (client_id, order_id, by_client, key, value, order_create_datetime)
  select held.client_id, held.order_id, false, m.key, m.value, held.order_create_datetime
  from jsonb_each_text(answer) m;
  perform record_events(held.client_id, held.order_id, '{order.metadata_changed}',
    array[metadata_change(earlier, answer)], actor, request_id);
end $$;

-- The metadata after a change, or why it is refused. Null is none.
create or replace function merged_metadata(
  earlier jsonb, changes jsonb, keys_max integer, out merged jsonb, out refused json
) stable language plpgsql as $$
begin
  select coalesce(jsonb_object_agg(m.key, m.value), '{}') into merged
  from jsonb_each_text(coalesce(earlier, '{}') || changes) m where m.value <> '';
  if (select count(*) from jsonb_object_keys(merged)) > keys_max then
    refused := refusal('metadata_full', json_build_object('limit', keys_max));
  end if;
end $$;

-- As events and changes of the catalogue have it, with `before`.
create or replace function metadata_change(earlier jsonb, merged jsonb) returns jsonb immutable language sql as $$
  select with_values_before(jsonb_build_object('metadata', merged),
    jsonb_build_object('metadata', coalesce(earlier, '{}')))
$$;
