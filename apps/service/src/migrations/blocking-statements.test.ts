/** No migration blocks the running service or breaks its previous version. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baselineEnd, migrationNames, migrationsDir, readMigrations } from './migration-files.ts'
import { sqlStatements } from './sql-statements.ts'
import { blockingStatements } from '../testing/blocking-statements.ts'

test('no migration after the baseline has a statement that blocks a growing table', () => {
  assert(migrationNames.includes(baselineEnd))
  const problems = readMigrations(migrationsDir)
    .filter(({ name }) => name > baselineEnd)
    .map((file) => [file.name, blockingStatements(file)])
  assert.deepEqual(
    problems,
    problems.map(([name]) => [name, []]),
  )
})

test('migrations have consecutive numbers', () => {
  assert.deepEqual(
    readMigrations(migrationsDir).map(({ name }) => Number(name.slice(0, 4))),
    readMigrations(migrationsDir).map((_, n) => n + 1),
  )
})

const problemsOf = (sql: string, outsideTransaction = false): string[] =>
  blockingStatements({ statements: sqlStatements(sql), outsideTransaction }).map(
    (problem) => problem.split(': ')[1] ?? '',
  )

test('what scans, rewrites or locks a growing table is refused', () => {
  const refused: Record<string, string> = {
    'create index a on orders (reference)': 'builds an index while writes wait',
    'create unique index a on public_orders (reference)': 'builds an index while writes wait',
    'drop index orders_by_state': 'waits for every statement on the table, and all others wait behind it',
    'alter table orders add constraint a check (history_count > 0)': 'checks every row under a lock',
    'alter table orders add foreign key (stock_id) references stocks': 'checks every row under a lock',
    'alter table events alter column data set not null': 'reads every row under a lock',
    'alter table events alter column order_id type numeric': 'rewrites the table',
    'alter table carts add column a uuid default gen_random_uuid()': 'has a default that may differ from row to row',
    'alter table carts add column a timestamptz default clock_timestamp()':
      'has a default that may differ from row to row',
    'alter table carts add column a bigint generated always as identity': 'computes a value for each row',
    'alter table carts add column a bigserial': 'computes a value for each row',
    'alter table carts add column a text not null': 'has no value for existing rows',
    'alter table carts add column b text, add column a text check (a > $$$$)': 'checks every row under a lock',
    'update orders set comment = null': 'locks many rows',
    'delete from order_history': 'locks many rows',
    'truncate webhook_deliveries': 'locks the whole table',
    'lock table items in share mode': 'locks the whole table',
    'alter table orders rename column comment to remark': 'breaks the previous version, which still uses the old name',
    'alter table orders drop column comment': 'may break the previous version',
    'do $$ begin update orders set comment = null; end $$': 'cannot be judged',
    'alter table orders validate constraint a': 'belongs into a file that runs outside a transaction',
    'create index concurrently a on orders (reference)': 'belongs into a file that runs outside a transaction',
  }
  for (const [sql, because] of Object.entries(refused)) assert.deepEqual([sql, problemsOf(sql)], [sql, [because]])
})

test('what is short or harmless is allowed', () => {
  for (const sql of [
    'alter table orders add column a text, add column b numeric(15, 3) default 0, add c boolean not null default false',
    `alter table orders add column a text not null default 'x', add column d timestamptz not null default now()`,
    'alter table orders add constraint a check (history_count > 0) not valid',
    'create table a (b bigint primary key); create index c on a (b); alter table a add unique (b)',
    'create index a on stocks (stock_name); update clients set unique_references = false',
    'alter table orders drop column comment -- No released version reads it.',
    'lock table audit_entries in share row exclusive mode -- For an instant: until what is numbered is counted.',
    '-- create index a on orders (reference)',
  ])
    assert.deepEqual([sql, problemsOf(sql)], [sql, []])
  assert.deepEqual(
    problemsOf(
      `drop index concurrently if exists a; create index concurrently a on orders (lower('; x'));
      alter table orders validate constraint b; create or replace function c() returns text language sql as $$ select ';' $$`,
      true,
    ),
    [],
  )
})

test('a file that runs outside a transaction has only statements that can be repeated', () => {
  for (const sql of [
    'alter table orders add column a text',
    'insert into stocks values (1)',
    'drop index concurrently a',
    'alter table stocks drop constraint a, add constraint a check (true) not valid',
    'alter table stocks drop constraint if exists a, add constraint b check (true) not valid',
    'alter table stocks drop constraint if exists a, add b text',
  ])
    assert.deepEqual(problemsOf(sql, true), ['cannot be repeated after an interruption'])
  const replaced = 'alter table orders drop constraint if exists a, add constraint a check (is_a(b)) not valid'
  assert.deepEqual(problemsOf(replaced, true), [])
})

test('statements are split at semicolons, except in literals, names, comments and functions', () => {
  assert.deepEqual(
    sqlStatements(`-- a; b
      select 'it''s; ' || e'\\'; ' as "a;b"; /* ; */ create function f() language sql as $x$ select 1; $x$;
      ;select 1 -- the end`).map(({ code }) => code),
    [`select '' || '' as "a;b"`, `create function f() language sql as ''`, 'select 1'],
  )
})
