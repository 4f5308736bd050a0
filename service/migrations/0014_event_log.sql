-- Clients read their own events. They are kept for a while: a client's numbers are gapless from the first that is still there.
alter table clients add column first_event_number bigint not null default 1;
