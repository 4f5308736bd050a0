-- The steps that find the items of a search: its words, the rarest first, and the items whose article begins with the
-- text (articled).
words as (              -- The words searched for, the rarest first as far as :scan_max rows can show.
  select word, (select count(*) from (select 1 from item_words w where w.word = s.word limit :scan_max) few) as items
  from (select distinct lower(unnest(:words::text[])) collate "C" as word) s
  order by items, length(word) desc, word
), start as (              -- A text of only spaces, dashes, dots and slashes begins every article, and finds none.
  select nullif(article_key(:search), '') as key
), begun as (              -- Items whose article begins with the text searched for, sorted to be read from the index.
  select i.item_id from items i
  where article_key(i.item_vendor_code) collate "C" >= (select key from start)
    and article_key(i.item_vendor_code) collate "C" < (select key || chr(1114111) from start) -- The last character.
  order by article_key(i.item_vendor_code) collate "C"
  limit :scan_max + 1
), articled as (           -- If there are too many, only words count.
  select item_id from begun where (select count(*) from begun) <= :scan_max
