-- Changes the given fields of a contract, and moves the default mark to it if requested. Orders keep their terms.
-- Lock order: contracts by id, client. Moving the mark locks all contracts of the client, so that concurrent moves
-- queue and each finds the mark where the previous one left it.
create or replace function change_contract(
  client bigint,
  contract bigint,
  changes jsonb,     -- The fields to change, by name.
  expected numeric,  -- The limit that the operator was shown; null if that is not said.
  confirmed boolean, -- Whether the limit may be removed.
  actor text,
  request_id text,
  out refused json
) language plpgsql as $$
declare
  wanted contracts;  -- The contract as it is to be; what is not changed is null.
  held contracts;
  currency text;
  new_currency text;
begin
  wanted := jsonb_populate_record(null::contracts, changes);
  perform from contracts c
  where c.client_id = client and (c.contract_id = contract or wanted.contract_default)
  order by c.contract_id for no key update;
  select * into held from contracts c where c.client_id = client and c.contract_id = contract;
  select r.currency_code into currency from price_lists r where r.price_list_id = held.price_list_id;
  select r.currency_code into new_currency from price_lists r where r.price_list_id = wanted.price_list_id;
  refused := case
    when not exists (select from clients k where k.client_id = client) then
      refusal('client_not_found', json_build_object('client_id', client))
    when held.contract_id is null then refusal('contract_not_found', json_build_object('contract_id', contract))
    when held.contract_default and not wanted.contract_default then
      refusal('contract_is_default', json_build_object('contract_id', contract))
    when wanted.price_list_id is not null and new_currency is null then
      refusal('price_list_not_found', json_build_object('price_list_id', wanted.price_list_id))
    when new_currency <> currency then -- Limit and exposure are amounts in it.
      refusal('price_list_currency_differs', json_build_object('price_list_id', wanted.price_list_id,
        'currency_code', new_currency, 'contract_id', contract, 'contract_currency_code', currency))
    when expected <> held.contract_limit and wanted.contract_limit is distinct from held.contract_limit then
      expected_differs('contract_limit', expected, held.contract_limit)
    when wanted.contract_limit = 0 and held.contract_limit <> 0 and not confirmed then refusal('confirmation_required',
      json_build_object('change', 'contract_limit', 'before', held.contract_limit, 'after', 0))
    end;
  if refused is not null then return; end if;

  if wanted.contract_default then
    update contracts c set contract_default = false
    where c.client_id = client and c.contract_default and c.contract_id <> contract;
  end if;
  update contracts c set contract_name = coalesce(wanted.contract_name, c.contract_name),
    contract_default = c.contract_default or coalesce(wanted.contract_default, false),
    contract_service = coalesce(wanted.contract_service, c.contract_service),
    contract_limit = coalesce(wanted.contract_limit, c.contract_limit),
    overdrawn = case when wanted.contract_limit is null then c.overdrawn when wanted.contract_limit = 0 then 0
      else greatest(c.exposure - wanted.contract_limit, 0) end,
    price_list_id = coalesce(wanted.price_list_id, c.price_list_id),
    discount_percent = coalesce(wanted.discount_percent, c.discount_percent),
    tax_mode = coalesce(wanted.tax_mode, c.tax_mode),
    tax_percent = coalesce(wanted.tax_percent, c.tax_percent)
  where c.client_id = client and c.contract_id = contract;
  perform record_events(client, null, '{contract.changed}', array[
    jsonb_build_object('contract_id', contract) || with_values_before(changes, to_jsonb(held))], actor, request_id);
end $$;

-- The contract after a function has changed it; none if that was refused.
create or replace function contract_answer(client bigint, contract bigint, refused json) returns setof contracts rows 1
  language plpgsql as $$
begin
  if refused is null then
    return query select * from contracts c where c.client_id = client and c.contract_id = contract;
  end if;
end $$;
