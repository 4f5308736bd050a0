-- All random numbers come from hashing, so the same sizes give the same data, with batches of any size.
set synchronous_commit = off;
set work_mem = '256MB';
set maintenance_work_mem = '1GB';
set jit = off;
set timezone = 'UTC';

create function pg_temp.pick(n bigint, seed bigint, below integer) returns integer
language sql immutable parallel safe as $$ select ((hashint8extended(n, seed) & 1073741823) % below)::integer $$;

-- Each client buys from its own assortment, so the number of a client's orders of an article does not depend on :items.
create function pg_temp.item_of(client_id bigint, place integer) returns bigint
language sql immutable parallel safe as $$ select 1 + (client_id * 200 + place) * :item_stride % :items $$;
