-- Every number below is drawn by hashing, so that a load of the same size gives the same data, in batches of any size.
set synchronous_commit = off;
set work_mem = '256MB';
set maintenance_work_mem = '1GB';
set jit = off;
set timezone = 'UTC';

create function pg_temp.pick(n bigint, seed bigint, below integer) returns integer
language sql immutable parallel safe as $$ select ((hashint8extended(n, seed) & 1073741823) % below)::integer $$;

-- A client buys from an assortment of its own, so an article's orders of one client are as many in every catalogue.
create function pg_temp.item_of(client_id bigint, place integer) returns bigint
language sql immutable parallel safe as $$ select 1 + (client_id * 200 + place) * :item_stride % :items $$;
