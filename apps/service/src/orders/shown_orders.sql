-- An order with everything that answers show of it. Rows that belong to it are packed in one column each
-- (packed-rows.ts); what a statement does not select costs it nothing.
create or replace view shown_orders as
select o.client_id, o.order_id, o.order_number, o.order_contact_id, o.order_create_datetime, o.order_rate,
  o.order_shipping, o.order_advertising, o.stock_id, o.contract_id, o.order_update_datetime, o.order_state_id,
  o.order_total, o.order_tax, o.order_discount, o.order_shipping_date, o.order_shipped_datetime,
  o.order_archive_datetime, o.virtual, s.stock_name, c.contract_name, c.contract_default, c.contract_service,
  c.contract_limit, o.zip, o.country_code, o.region_code, o.city, o.street, o.home, o.room, o.currency_code,
  o.tax_mode, o.tax_percent, o.discount_percent, o.reference, o.comment, o.hold_reason, o.history_count,
  k.client_name, n.contact_name, n.contact_email, (
    select coalesce(string_agg(concat_ws(E'\x1f', h.date, h."group", h.state_id, h.text), E'\x1e'), '')
    from (
      select h.date, h."group", h.state_id, h.text from order_history h
      where h.client_id = o.client_id and h.order_id = o.order_id
      order by h.entry desc
    ) h
  ) as history, ( -- Lines that were dropped are not shown.
    select coalesce(string_agg(concat_ws(E'\x1f', i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id,
      i.item_vendor_code, i.item_barcode, i.item_title, i.brand_id, i.brand_name), E'\x1e'), '')
    from (
      select i.order_item_id, i.order_item_quantity, i.order_item_price, i.item_id, i.item_vendor_code, i.item_barcode,
        i.item_title, i.brand_id, i.brand_name
      from order_items i
      where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > 0
      order by i.order_item_id
    ) i
  ) as lines, (
    select coalesce(string_agg(concat_ws(E'\x1f', p.shipment_id, p.shipment_datetime, p.carrier, p.tracking,
      p.order_item_id, p.quantity), E'\x1e'), '')
    from (
      select p.shipment_id, p.shipment_datetime, p.carrier, p.tracking, l.order_item_id, l.quantity
      from shipments p
      join shipment_lines l on l.client_id = p.client_id and l.order_id = p.order_id and l.shipment_id = p.shipment_id
      where p.client_id = o.client_id and p.order_id = o.order_id
      order by p.shipment_id, l.order_item_id
    ) p
  ) as shipped_lines, (
    select coalesce(string_agg(concat_ws(E'\x1f', r.return_id, r.return_datetime, r.reason, r.restocked,
      r.order_item_id, r.quantity), E'\x1e'), '')
    from (
      select r.return_id, r.return_datetime, r.reason, r.restocked, l.order_item_id, l.quantity
      from order_returns r
      join order_return_lines l on l.client_id = r.client_id and l.order_id = r.order_id and l.return_id = r.return_id
      where r.client_id = o.client_id and r.order_id = o.order_id
      order by r.return_id, l.order_item_id
    ) r
  ) as returned_lines, (
    select coalesce(string_agg(concat_ws(E'\x1f', m.note_datetime, shown_actor(m.note_author), m.note_text),
      E'\x1e'), '')
    from (
      select m.note_datetime, m.note_author, m.note_text from order_notes m
      where m.client_id = o.client_id and m.order_id = o.order_id
      order by m.note_id desc
    ) m
  ) as notes, ( -- Of each entry of the history, newest first.
    select coalesce(string_agg(coalesce(shown_actor(h.actor), ''), E'\x1e'), '')
    from (
      select h.actor from order_history h
      where h.client_id = o.client_id and h.order_id = o.order_id
      order by h.entry desc
    ) h
  ) as actors, o.recipient, o.company, o.phone, o.email, (
    select coalesce(string_agg(concat_ws(E'\x1f', q.return_request_id, q.request_status, q.request_datetime, q.reason,
      q.instruction, q.canceled_message, coalesce(q.decided_at::text, ''), coalesce(shown_actor(q.decided_by), ''),
      coalesce(q.return_id, 0), (
        select string_agg(l.order_item_id || ' ' || l.quantity, ',' order by l.order_item_id)
        from return_request_lines l
        where l.client_id = q.client_id and l.order_id = q.order_id and l.return_request_id = q.return_request_id
      )), E'\x1e'), '')
    from (
      select * from return_requests q
      where q.client_id = o.client_id and q.order_id = o.order_id
      order by q.return_request_id
    ) q
  ) as return_requests, (
    select coalesce(string_agg(concat_ws(E'\x1f', d.kind, d.number, d.url, coalesce(d.issued_on::text, '')),
      E'\x1e'), '')
    from (
      select d.kind, d.number, d.url, d.issued_on from order_documents d
      where d.client_id = o.client_id and d.order_id = o.order_id
      order by d.issued_on, d.kind, d.number
    ) d
  ) as documents, (
    select coalesce(string_agg(concat_ws(E'\x1f', m.by_client, m.key, m.value), E'\x1e'), '')
    from (
      select m.by_client, m.key, m.value from order_metadata m
      where m.client_id = o.client_id and m.order_id = o.order_id
      order by m.by_client, m.key
    ) m
  ) as metadata
from orders o
left join stocks s on s.stock_id = o.stock_id
left join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id
left join clients k on k.client_id = o.client_id
left join contacts n on n.client_id = o.client_id and n.contact_id = o.order_contact_id;

-- What the contract's own operations show of an order. They are the most frequent ones, and a view on shown_orders
-- would make PostgreSQL lock all of its tables.
create or replace view client_orders as
select o.client_id, o.order_id, o.order_number, o.order_contact_id, o.order_create_datetime, o.order_rate,
  o.order_shipping, o.order_advertising, o.stock_id, o.contract_id, o.order_update_datetime, o.order_state_id,
  o.order_total, o.order_tax, o.order_discount, o.order_shipping_date, o.order_shipped_datetime,
  o.order_archive_datetime, o.virtual, s.stock_name, c.contract_name, c.contract_default, c.contract_service,
  c.contract_limit, (
    select coalesce(string_agg(concat_ws(E'\x1f', h.date, h."group", h.state_id, h.text), E'\x1e'), '')
    from (
      select h.date, h."group", h.state_id, h.text from order_history h
      where h.client_id = o.client_id and h.order_id = o.order_id
      order by h.entry desc
    ) h
  ) as history
from orders o
join stocks s on s.stock_id = o.stock_id
join contracts c on c.client_id = o.client_id and c.contract_id = o.contract_id;

-- The order after a function has changed it; none if that was refused. As functions, they read what was just written.
create or replace function operator_order(id bigint, refused json) returns setof shown_orders rows 1
  language plpgsql as $$
begin
  if refused is null then
    return query select * from shown_orders o where o.order_id = id;
  end if;
end $$;

create or replace function client_order(client bigint, id bigint, refused json) returns setof client_orders rows 1
  language plpgsql as $$
begin
  if refused is null then
    return query select * from client_orders o where o.client_id = client and o.order_id = id;
  end if;
end $$;
