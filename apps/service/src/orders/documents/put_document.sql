-- Puts a document on an order, in place of one of its kind and number. If there is nothing to change, nothing happens.
create or replace function put_document(
  order_id bigint, kind text, number text, url text, issued_on date, documents_max integer, actor text,
  request_id text, out refused json
) language plpgsql as $$
declare
  held orders;
  earlier order_documents;
  written order_documents;
begin
  select * into held from orders o where o.order_id = put_document.order_id for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  end if;
  select * into earlier from order_documents d
  where d.client_id = held.client_id and d.order_id = held.order_id and d.kind = put_document.kind
    and d.number = put_document.number;
  if earlier.url is null and documents_max <= (
    select count(*) from order_documents d where d.client_id = held.client_id and d.order_id = held.order_id)
  then
    refused := refusal('order_documents_full', json_build_object('order_id', order_id, 'limit', documents_max));
    return;
  end if;
  if (earlier.url, earlier.issued_on) is not distinct from (url, issued_on) then return; end if;

  insert into order_documents as d (client_id, order_id, kind, number, url, issued_on)
  values (held.client_id, held.order_id, kind, number, url, issued_on)
  on conflict on constraint order_documents_pkey do update set url = excluded.url, issued_on = excluded.issued_on
  returning * into written;
  perform record_events(held.client_id, held.order_id, '{order.document_added}', array[
    jsonb_build_object('document', document_json(written))
      || case when earlier.url is null then '{}' else jsonb_build_object('replaced', document_json(earlier)) end],
    actor, request_id);
end $$;

-- `OrderDocument` in order-document.ts.
create or replace function document_json(d order_documents) returns jsonb stable language plpgsql as $$
begin
  return jsonb_build_object('kind', d.kind, 'number', d.number, 'url', d.url, 'issued_on', d.issued_on);
end $$;
