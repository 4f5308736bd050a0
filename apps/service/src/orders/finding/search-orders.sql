-- A page of all clients' orders that match a text, newest first. Each kind of key has its index, which is walked from
-- the page's start: the number, the article, the barcode by the articles of its items, the client by its words, the
-- city and the reference by their beginning. Of each kind at most :keys_max keys are followed, and a page examines at
-- most :scan_max orders, so its cost does not depend on the number of orders. Decision 7 says what was measured.
with recursive -- include ../../clients/client-search.part.sql
), sought as (
  select lower(:search) collate "C" as key, lower(:search) collate "C" || chr(1114111) as beyond -- The last character.
), found_clients as (
  select distinct w.client_id
  from (
    select w.word, w.client_id from client_words w
    where w.word >= (select word from rarest) and w.word < (select beyond from rarest)
    order by w.word, w.client_id
    limit 20 * :keys_max::bigint
  ) w
  where not exists (
    select 1 from others o
    where not exists (
      select 1 from client_words x
      where x.client_id = w.client_id and x.word >= o.word and x.word < o.beyond))
  limit :keys_max
), articles as (
  select lower(:search) as article, null::text as barcode
  union all
  (select lower(i.item_vendor_code), i.item_barcode
   from item_words w
   cross join lateral (
     select i.item_vendor_code, i.item_barcode from items i where i.item_id = w.item_id
   ) i
   where w.word = (select key from sought) and lower(i.item_barcode) = w.word
   order by w.item_id
   limit :keys_max)
), cities as (             -- From each city to the next one, by the index.
  (select lower(o.city) collate "C" as city, 1 as n from orders o
   where lower(o.city) collate "C" >= (select key from sought)
     and lower(o.city) collate "C" < (select beyond from sought)
   order by lower(o.city) collate "C"
   limit 1)
  union all
  select x.city, c.n + 1
  from cities c
  cross join lateral (
    select lower(o.city) collate "C" as city from orders o
    where lower(o.city) collate "C" > c.city and lower(o.city) collate "C" < (select beyond from sought)
    order by lower(o.city) collate "C"
    limit 1
  ) x
  where c.n < :keys_max
), begun as (              -- Orders whose reference begins with the text, sorted to be read from the index.
  select o.order_id, o.order_create_datetime from orders o
  where o.reference is not null and lower(o.reference) collate "C" >= (select key from sought)
    and lower(o.reference) collate "C" < (select beyond from sought)
  order by lower(o.reference) collate "C"
  limit :references_max::bigint + 1
), candidates as (
  (select o.order_id, o.order_create_datetime from orders o
   where o.order_number = :number::bigint
     and -- include placed-before.part.sql
  )
  union
  (select o.order_id, o.order_create_datetime
   from found_clients k
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where o.client_id = k.client_id
       and -- include placed-before.part.sql
     limit :scan_max
   ) o)
  union
  (select i.order_id, i.order_create_datetime
   from articles a
   cross join lateral (
     select distinct i.order_id, i.order_create_datetime from order_items i
     where lower(i.item_vendor_code) = a.article and i.order_item_quantity > 0
       and (a.barcode is null or i.item_barcode = a.barcode)
       and -- include placed-before.part.sql
     limit :scan_max
   ) i)
  union
  (select o.order_id, o.order_create_datetime
   from cities c
   cross join lateral (
     select o.order_id, o.order_create_datetime from orders o
     where lower(o.city) collate "C" = c.city
       and -- include placed-before.part.sql
     limit :scan_max
   ) o)
  union                    -- If too many references begin with the text, only those that equal it count.
  (select o.order_id, o.order_create_datetime from begun o
   where (select count(*) from begun) <= :references_max
     and -- include placed-before.part.sql
  )
  union
  (select o.order_id, o.order_create_datetime from orders o
   where (select count(*) from begun) > :references_max
     and o.reference is not null and lower(o.reference) collate "C" = (select key from sought)
     and -- include placed-before.part.sql
   limit :scan_max)
), placed as (
  select order_id, order_id::text as position,
    row_number() over (order by order_create_datetime desc, order_id desc) as place
  from candidates
  order by place
  limit :scan_max
), -- include operator-orders-page.part.sql
