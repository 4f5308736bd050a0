-- The functions that migrate has installed, by file: a changed file is installed again.
create table installed_functions (
  file text not null,
  digest text not null,
  installed_at timestamptz not null default now(),
  constraint installed_functions_pkey primary key (file)
);
