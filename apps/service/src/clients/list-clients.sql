-- Clients by id, or those with a word that begins with each word searched for. A search walks the words that begin with
-- the rarest one from the page's start and examines at most :scan_max of them, so its cost does not depend on the
-- number of clients: a page may be short or empty and still have a next one. A client with several such words is listed
-- at the first. The client with the id :number comes before all.
with -- include client-search.part.sql
), candidates as (
  (select '' collate "C" as word, k.client_id, 0::bigint as contact_id, true as sure from clients k
   where :words::text[] is null and k.client_id > :after_id
   order by k.client_id
   limit :scan_max)
  union all
  (select '', k.client_id, 0, true from clients k
   where k.client_id = :number::bigint and :after_word::text = '' and :after_id = 0)
  union all
  (select w.word, w.client_id, w.contact_id, false from client_words w
   where w.word >= (select word from rarest) and w.word < (select beyond from rarest)
     and (w.word, w.client_id, w.contact_id) > (:after_word, :after_id, :after_contact)
   order by w.word, w.client_id, w.contact_id
   limit :scan_max)
), page as (
  (select c.word, c.client_id, c.contact_id, true as found
   from (select word, client_id, contact_id, sure from candidates order by word, client_id, contact_id) c
   where c.sure or c.client_id is distinct from :number
     and not exists (       -- An earlier word of the client.
       select 1 from client_words x
       where x.client_id = c.client_id and x.word >= (select word from rarest) and x.word <= c.word
         and (x.word, x.contact_id) < (c.word, c.contact_id))
     and not exists (
       select 1 from others o
       where not exists (
         select 1 from client_words x
         where x.client_id = c.client_id and x.word >= o.word and x.word < o.beyond))
   order by c.word, c.client_id, c.contact_id
   limit :page_size)
  union all
  (select word, client_id, contact_id, false from candidates -- The last one examined: there may be more after it.
   order by word, client_id, contact_id
   offset :scan_max - 1)
)
select p.word, p.client_id, p.contact_id, p.found, k.client_name, k.block_reason, coalesce((
    select jsonb_agg(to_jsonb(t) order by t.contract_id)
    from (
      select c.contract_id, c.contract_name, c.contract_default, r.currency_code, c.contract_limit, c.exposure,
        -- include limit-left.part.sql
      from contracts c
      join price_lists r on r.price_list_id = c.price_list_id
      where c.client_id = p.client_id and p.found
    ) t
  ), '[]') as contracts
from page p
cross join lateral (
  select k.client_name, k.block_reason from clients k where k.client_id = p.client_id
) k
order by p.word, p.client_id, p.contact_id, p.found desc
