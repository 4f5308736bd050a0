-- Which items take the place of another one: its successor (place 0), and substitutes in the order of preference.
create table item_substitutes (
  item_id bigint not null,
  place integer not null,
  substitute_id bigint not null,
  constraint item_substitutes_pkey primary key (item_id, place),
  constraint item_substitutes_another check (substitute_id <> item_id)
);
