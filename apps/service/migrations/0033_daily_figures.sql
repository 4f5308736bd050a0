-- Figures that the worker counts, so that nobody who looks at them reads the orders. A day is one of the service's time
-- zone. shipped: orders of which something left on that day; ship_hours: their mean time since they were placed.
create table daily_figures (
  day date not null,
  placed bigint not null,
  shipped bigint not null,
  ship_hours numeric(9, 1),
  counted_at timestamptz not null,
  constraint daily_figures_pkey primary key (day)
);

-- The open orders of each state, as last counted, and their totals in the base currency.
create table open_figures (
  state_id text not null,
  orders bigint not null,
  total numeric(15, 2) not null,
  more boolean not null,
  counted_at timestamptz not null,
  constraint open_figures_pkey primary key (state_id)
);
