-- When goods can ship: stock_promise.sql.

alter table stocks add column cut_off time; -- From then on, a day's work goes out a day later. Null means never.

-- What is expected, by day. Orders neither read nor write it. set_arrivals.sql replaces what a level expects.
create table stock_arrivals (
  stock_id bigint not null,
  item_id bigint not null,
  arrives_on date not null,
  quantity bigint not null,
  constraint stock_arrivals_pkey primary key (stock_id, item_id, arrives_on),
  constraint stock_arrivals_quantity check (quantity > 0)
);
