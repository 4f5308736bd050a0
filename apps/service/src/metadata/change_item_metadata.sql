-- Merges what the distributor keeps with an item. An empty value removes its key.
create or replace function change_item_metadata(
  item_id bigint, changes jsonb, keys_max integer, actor text, request_id text, out answer jsonb, out refused json
) language plpgsql as $$
declare
  earlier jsonb;
begin
  select i.metadata into earlier from items i where i.item_id = change_item_metadata.item_id for no key update;
  if not found then
    refused := refusal('item_not_found', json_build_object('item_id', item_id));
    return;
  end if;
  select * into answer, refused from merged_metadata(earlier, changes, keys_max);
  if refused is not null or answer = coalesce(earlier, '{}') then return; end if;
  update items i set metadata = nullif(answer, '{}') where i.item_id = change_item_metadata.item_id;
  insert into catalogue_changes (changed, data, actor, request_id)
  values ('item', jsonb_build_object('item_id', item_id) || metadata_change(earlier, answer), actor, request_id);
end $$;
