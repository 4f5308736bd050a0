-- Replaces the successor and the substitutes of an item.
create or replace function set_substitutes(
  item bigint,
  successor bigint,      -- Null means none.
  others bigint[],       -- In the order of preference.
  actor text,
  request_id text,
  out answer json,       -- `Substitutes` in substitutes.ts.
  out refused json
) language plpgsql as $$
declare
  unknown bigint;
  before json;
begin
  perform from items i where i.item_id = item for no key update;
  select n.item_id into unknown from unnest(array[item, successor] || others) with ordinality n (item_id, place)
  where n.item_id is not null and not exists (select from items i where i.item_id = n.item_id)
  order by n.place limit 1;
  if unknown is not null then
    refused := refusal('item_not_found', json_build_object('item_id', unknown));
    return;
  end if;
  before := item_substitutes_of(item);
  delete from item_substitutes s where s.item_id = item;
  insert into item_substitutes (item_id, place, substitute_id)
  select item, n.place - 1, n.substitute_id
  from unnest(array[successor] || others) with ordinality n (substitute_id, place) where n.substitute_id is not null;
  answer := item_substitutes_of(item);
  if answer::text <> before::text then
    insert into catalogue_changes (changed, data, actor, request_id)
    values ('item', answer::jsonb || jsonb_build_object('before', before), actor, request_id);
  end if;
end $$;

-- The ids of the successor and of the substitutes of an item.
create or replace function item_substitutes_of(item bigint) returns json stable language plpgsql as $$
begin
  return (
    select json_build_object('item_id', item, 'replaced_by', max(s.substitute_id) filter (where s.place = 0),
      'substitutes', coalesce(json_agg(s.substitute_id order by s.place) filter (where s.place > 0), '[]'))
    from item_substitutes s where s.item_id = item);
end $$;

-- The details of a refusal of an item, with what is on sale in its place.
create or replace function with_substitutes(details json, item bigint) returns json stable language plpgsql as $$
declare
  successor bigint;
  others bigint[];
begin
  select max(s.substitute_id) filter (where s.place = 0),
    array_agg(s.substitute_id order by s.place) filter (where s.place > 0)
  into successor, others
  from item_substitutes s
  join items i on i.item_id = s.substitute_id and i.on_sale
  where s.item_id = item;
  if successor is null and others is null then return details; end if;
  return (details::jsonb
    || jsonb_strip_nulls(jsonb_build_object('replaced_by', successor, 'substitutes', others)))::json;
end $$;
