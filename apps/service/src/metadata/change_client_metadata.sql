-- Merges what the distributor keeps with a client. An empty value removes its key.
create or replace function change_client_metadata(
  client_id bigint, changes jsonb, keys_max integer, actor text, request_id text, out answer jsonb, out refused json
) language plpgsql as $$
declare
  earlier jsonb;
begin
  select c.metadata into earlier from clients c where c.client_id = change_client_metadata.client_id for no key update;
  if not found then
    refused := refusal('client_not_found', json_build_object('client_id', client_id));
    return;
  end if;
  select * into answer, refused from merged_metadata(earlier, changes, keys_max);
  if refused is not null or answer = coalesce(earlier, '{}') then return; end if;
  update clients c set metadata = nullif(answer, '{}') where c.client_id = change_client_metadata.client_id;
  perform record_events(client_id, null, '{client.changed}', array[metadata_change(earlier, answer)], actor,
    request_id);
end $$;
