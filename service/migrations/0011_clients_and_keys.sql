-- version rises with every change of a client's name and stocks: whoever holds the client's row and finds the version it has read
-- knows that the stocks it has read are still the client's stocks.
alter table clients add column version integer not null default 1;

-- How many requests a second a key may make, and how many at once after a pause.
alter table api_keys
  add column rate_per_second integer not null default 50,
  add column rate_burst integer not null default 100,
  add constraint api_keys_rate_per_second check (rate_per_second >= 1),
  add constraint api_keys_rate_burst check (rate_burst >= 1);

-- When a key was last used, to within the time between two writings of it. It is no change of the key: changed_at stays.
alter table api_keys add column last_used_at timestamptz;
alter table operator_keys add column last_used_at timestamptz;
