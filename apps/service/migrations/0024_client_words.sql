-- Words by which operators find a client: those of its name (contact_id 0) and of its contacts' names and email
-- addresses, in lower case. They are stored in order of the word, so a search for the beginning of a word reads one
-- range however many clients there are. Triggers write them: the previous version of the service changes clients too,
-- and no statement can forget them. Placing an order updates clients without naming client_name, so it fires none.
create table client_words (
  word text collate "C" not null,
  client_id bigint not null,
  contact_id bigint not null,
  constraint client_words_pkey primary key (word, client_id, contact_id)
);
create index client_words_by_client on client_words (client_id, word);

-- The words of a text, without surrounding punctuation, whole and in parts; of an email address also its domain.
create function search_words(said text) returns setof text
  language sql immutable parallel safe
  as $$
    select distinct word collate "C"
    from (
      select trim(both '.,;:()' from whole) from regexp_split_to_table(lower(said), '\s+') whole
      union all
      select part from regexp_split_to_table(lower(said), '[^[:alnum:]]+') part
      union all
      select split_part(whole, '@', 2) from regexp_split_to_table(lower(said), '\s+') whole
    ) w (word)
    where word <> ''
  $$;

create function write_client_words() returns trigger
  language plpgsql
  as $$
    begin
      if tg_op = 'UPDATE' then
        delete from client_words where client_id = new.client_id and contact_id = 0;
      end if;
      insert into client_words (word, client_id, contact_id)
      select word, new.client_id, 0 from search_words(new.client_name) word;
      return null;
    end
  $$;

create function write_contact_words() returns trigger
  language plpgsql
  as $$
    begin
      if tg_op = 'UPDATE' then
        delete from client_words where client_id = new.client_id and contact_id = new.contact_id;
      end if;
      insert into client_words (word, client_id, contact_id)
      select word, new.client_id, new.contact_id
      from search_words(concat_ws(' ', new.contact_name, new.contact_email)) word;
      return null;
    end
  $$;

create trigger client_words after insert or update of client_name on clients
  for each row execute function write_client_words();
create trigger contact_words after insert or update of contact_name, contact_email on contacts
  for each row execute function write_contact_words();

insert into client_words (word, client_id, contact_id)
select word, client_id, 0 from clients, search_words(client_name) word
union all
select word, client_id, contact_id from contacts, search_words(concat_ws(' ', contact_name, contact_email)) word;
