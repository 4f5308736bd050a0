-- A refusal as functions return it and functions/call.ts throws it: [{code, details}]. The codes are those of
-- refusals.ts. The type json keeps the order of the details, which jsonb does not.
create or replace function refusal(code text, details json default '{}') returns json stable language sql as $$
  select json_build_array(json_build_object('code', code, 'details', details))
$$;
