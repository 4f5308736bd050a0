-- A repeated request to place an order is recognised by a digest of all its fields, whichever they are.
-- Orders placed before have an empty digest: repeating their request is refused with the order's id.
alter table orders add column request_digest bytea not null default '';
alter table orders alter column request_digest drop default;
