-- One error of a refusal. The codes are those of refusals.ts. The type json keeps the order of the details, which jsonb
-- does not.
create or replace function refusal_error(code text, details json) returns json stable language sql as $$
  select json_build_object('code', code, 'details', details)
$$;

-- A refusal with one error, as functions return it and functions/call.ts throws it.
create or replace function refusal(code text, details json default '{}') returns json stable language sql as $$
  select json_build_array(refusal_error(code, details))
$$;

-- The refusal of a change whose caller was shown another figure than the present one; null if it was shown this one, or
-- does not say. The caller of this function has locked what the figure is of.
create or replace function expected_differs(figure text, expected numeric, present numeric) returns json
  stable language sql as $$
  select case when expected <> present or present is null and expected is not null
    then refusal('expected_differs', json_build_object('figure', figure, 'expected', expected, 'present', present)) end
$$;
