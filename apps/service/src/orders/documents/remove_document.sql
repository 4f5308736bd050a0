-- Removes a document from an order.
create or replace function remove_document(
  order_id bigint, kind text, number text, actor text, request_id text, out refused json
) language plpgsql as $$
declare
  held orders;
  removed order_documents;
begin
  select * into held from orders o where o.order_id = remove_document.order_id for no key update;
  if not found then
    refused := refusal('order_not_found', json_build_object('order_id', order_id));
    return;
  end if;
  delete from order_documents d
  where d.client_id = held.client_id and d.order_id = held.order_id and d.kind = remove_document.kind
    and d.number = remove_document.number
  returning * into removed;
  if not found then
    refused := refusal('document_not_found',
      json_build_object('order_id', order_id, 'kind', kind, 'number', number));
    return;
  end if;
  perform record_events(held.client_id, held.order_id, '{order.document_removed}',
    array[jsonb_build_object('document', document_json(removed))], actor, request_id);
end $$;
