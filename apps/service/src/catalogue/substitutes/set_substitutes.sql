-- Replaces the successor and the substitutes of an item.
create or replace function set_substitutes(
  item bigint,
  named jsonb,           -- `replaced_by`, null for none, and `substitutes` in the order of preference.
  actor text,
  request_id text,
  out answer json,       -- `Substitutes` in substitutes.ts.
  out refused json
) language plpgsql as $$
declare
  before jsonb := held_substitutes(item); -- Holds the item before all else.
begin
  refused := substitutes_refusal(item, named);
  if refused is not null then return; end if;
  before := replace_substitutes(item, named);
  if before <> named then
    insert into catalogue_changes (changed, data, actor, request_id)
    values ('item', jsonb_build_object('item_id', item) || named || jsonb_build_object('before', before), actor,
      request_id);
  end if;
  answer := jsonb_build_object('item_id', item) || named;
end $$;

-- The refusal of an item that stands in for itself, or does not exist; null if there is none.
create or replace function substitutes_refusal(item bigint, named jsonb) returns json stable language sql as $$
  select case when n.place > 0 and n.item_id = item
    then refusal('field_invalid', json_build_object('field', n.field, 'value', item::text,
      'rule', 'another item than the one it is for'))
    else refusal('item_not_found', json_build_object('item_id', n.item_id)) end
  from (
    select item as item_id, 0 as place, null as field
    union all select (named ->> 'replaced_by')::bigint, 1, 'replaced_by'
    union all select s.id::bigint, 1 + s.place, 'substitutes'
    from jsonb_array_elements_text(named -> 'substitutes') with ordinality s (id, place)
  ) n
  where n.item_id is not null
    and (n.place > 0 and n.item_id = item or not exists (select from items i where i.item_id = n.item_id))
  order by n.place limit 1
$$;

-- Returns what was named before.
create or replace function replace_substitutes(item bigint, named jsonb) returns jsonb language plpgsql as $$
declare
  before constant jsonb := held_substitutes(item);
begin
  if before <> named then
    delete from item_substitutes s where s.item_id = item;
    insert into item_substitutes (item_id, place, substitute_id)
    select item, 0, (named ->> 'replaced_by')::bigint where named ->> 'replaced_by' is not null
    union all select item, s.place, s.id::bigint
    from jsonb_array_elements_text(named -> 'substitutes') with ordinality s (id, place);
  end if;
  return before;
end $$;

-- The ids of the successor and of the substitutes of an item, held until the transaction ends.
create or replace function held_substitutes(item bigint) returns jsonb language plpgsql as $$
begin
  perform from items i where i.item_id = item for no key update;
  return stand_ins_of(item);
end $$;

create or replace function stand_ins_of(item bigint) returns jsonb stable language plpgsql as $$
begin
  return (
    select jsonb_build_object('replaced_by', max(s.substitute_id) filter (where s.place = 0),
      'substitutes', coalesce(jsonb_agg(s.substitute_id order by s.place) filter (where s.place > 0), '[]'))
    from item_substitutes s where s.item_id = item);
end $$;

-- Null if it names no item.
create or replace function named_substitutes(named jsonb) returns jsonb immutable language sql as $$
  select nullif(named, '{"replaced_by": null, "substitutes": []}')
$$;

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
