-- Documents of an order, such as invoices, as links: the documents are in the distributor's ERP. Every writer holds the
-- order's row.
create table order_documents (
  client_id bigint not null,
  order_id bigint not null,
  kind text not null,
  number text not null,
  url text not null,
  issued_on date,
  constraint order_documents_pkey primary key (client_id, order_id, kind, number),
  constraint order_documents_order foreign key (client_id, order_id) references orders,
  constraint order_documents_kind check (kind in ('invoice', 'delivery_note', 'credit_note', 'other'))
);
