-- When a key was last changed: processes that know keys by heart ask for the recent changes only. Whoever changes a key sets it.
alter table api_keys add column changed_at timestamptz not null default now();
create index api_keys_by_change on api_keys (changed_at);
