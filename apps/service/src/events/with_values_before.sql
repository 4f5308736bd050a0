-- What a change set, with `before`: the values that it replaced. Operators see both; clients see what was set.
create or replace function with_values_before(changes jsonb, held jsonb) returns jsonb immutable language sql as $$
  select changes || jsonb_build_object('before', (
    select jsonb_object_agg(name, held -> name) from jsonb_object_keys(changes) name))
$$;
