-- What a client says about its order, and what its terms were. The currency of older orders is that of their
-- contract's price list now: it was not stored.
alter table orders
  add column currency_code text,
  add column reference text,          -- The client's own number for the order.
  add column comment text,
  add column unique_reference text;   -- The reference again, if the client's references must be unique.
update orders o set currency_code = r.currency_code
from contracts c
join price_lists r on r.price_list_id = c.price_list_id
where c.client_id = o.client_id and c.contract_id = o.contract_id;
alter table orders
  alter column currency_code set not null,
  add constraint orders_unique_reference check (unique_reference is null or unique_reference = reference);
create unique index reference_used on orders (client_id, unique_reference) where unique_reference is not null;
create index orders_by_reference on orders (client_id, reference, order_create_datetime desc, order_id desc)
  where reference is not null;

-- Whether two orders of the client may have the same reference.
alter table clients add column unique_references boolean not null default false;

-- Each change of a line's quantity, by the history entry that records it. With it an event shows the lines as they
-- were at its moment, and stores none of them.
create table order_item_changes (
  client_id bigint not null,
  order_id bigint not null,
  entry integer not null,
  order_item_id bigint not null,
  quantity_before integer not null,
  quantity_after integer not null,
  constraint order_item_changes_pkey primary key (client_id, order_id, order_item_id, entry),
  constraint order_item_changes_entry foreign key (client_id, order_id, entry) references order_history,
  constraint order_item_changes_order_item foreign key (client_id, order_id, order_item_id) references order_items
);
insert into order_item_changes (client_id, order_id, entry, order_item_id, quantity_before, quantity_after)
select a.client_id, a.order_id, h.entry, a.order_item_id, a.quantity_wanted - a.difference, a.quantity_wanted
from adjustments a
join order_history h on h.client_id = a.client_id and h.order_id = a.order_id
  and h."group" = 'Change of items' and h.date = a.decided_at
where a.adjustment_status = 'ACCEPTED'
on conflict do nothing;

-- Why a client asks for the change, and who decided it; both are null for older adjustments.
alter table adjustments
  add column reason text,
  add column decided_by text;
