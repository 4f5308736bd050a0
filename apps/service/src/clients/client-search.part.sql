-- The steps that find the clients of a search: its words, the rarest first, and where those that begin with a word end.
asked as (              -- The rarest word first, as far as :scan_max rows can show.
  select word, word || chr(1114111) as beyond, -- The last character.
    (select count(*) from (
      select 1 from client_words w where w.word >= s.word and w.word < s.word || chr(1114111) limit :scan_max
    ) few) as clients
  from (select distinct lower(unnest(:words::text[])) collate "C" as word) s
  order by clients, length(word) desc, word
), rarest as (
  select word, beyond from asked limit 1
), others as (
  select word, beyond from asked offset 1
