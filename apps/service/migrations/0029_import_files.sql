-- What an import came from, what it changed, and how it ended: dry runs, stopped and undone imports.
alter table imports
  add column file_name text,
  add column file_format jsonb,
  add column dry_run boolean not null default false,
  add column stop_requested boolean not null default false,
  drop constraint imports_state,
  add constraint imports_state check (import_state in ('receiving', 'waiting', 'checking', 'applying', 'undoing',
    'done', 'refused', 'failed', 'stopped', 'undone')),
  drop constraint imports_finished,
  add constraint imports_finished check (
    (import_state in ('done', 'refused', 'failed', 'stopped', 'undone')) = (finished_at is not null));

-- What a batch has changed, or would change in a dry run: one element for each row, with the values before and after.
-- Undoing an import restores what was before. The worker deletes it after some days.
create table import_changes (
  import_id bigint not null,
  batch integer not null,
  changes jsonb not null,
  created_at timestamptz not null default now(),
  constraint import_changes_pkey primary key (import_id, batch),
  constraint import_changes_import foreign key (import_id) references imports on delete cascade
);
create index import_changes_by_age on import_changes (created_at);
