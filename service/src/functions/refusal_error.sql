-- One error of a refusal. The codes are those of refusals.ts. The type json keeps the order of the details, which jsonb
-- does not.
create or replace function refusal_error(code text, details json) returns json stable language sql as $$
  select json_build_object('code', code, 'details', details)
$$;

-- A refusal with one error, as functions return it and functions/call.ts throws it.
create or replace function refusal(code text, details json default '{}') returns json stable language sql as $$
  select json_build_array(refusal_error(code, details))
$$;
