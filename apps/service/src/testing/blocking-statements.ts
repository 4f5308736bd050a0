/**
 * Finds statements of a migration that would block the running service, or break the previous version of it: those that
 * scan or rewrite a growing table under a lock, that cannot be undone by repeating the file, or that this file cannot
 * judge. `docs/how-to/engineer/upgrade.md` explains what to write instead.
 */
import type { Migration } from '../migrations/migration-files.ts'

/** Tables that stay small, so that scanning them under a lock takes milliseconds. Every other table grows. */
const smallTables = new Set(
  [
    ['currencies', 'price_lists', 'stocks', 'stock_closed_days'], // The distributor's own terms.
    ['clients', 'contacts', 'contracts', 'client_stocks', 'api_keys', 'operator_keys', 'webhooks'], // A few per client.
    ['operators', 'operator_sessions', 'operator_views'], // A few per operator; sessions are kept for three months.
    ['event_feed', 'item_feed', 'reject_reasons', 'worker_jobs', 'imports'], // One row, or one per job or import.
  ].flat(),
)

/** Tables whose rows nobody changes or locks: nothing waits for an update of all of them. */
const writtenOnce = new Set(['audit_entries', 'catalogue_changes'])

interface Rule {
  readonly refuses: RegExp
  /** A statement that also matches this is harmless. */
  readonly unless?: RegExp
  readonly because: string
}

/** For statements on a growing table. */
const rules: readonly Rule[] = [
  {
    refuses: /^create (?:unique )?index /,
    unless: /^create (?:unique )?index concurrently /,
    because: 'builds an index while writes wait: use create index concurrently, outside a transaction',
  },
  {
    refuses: /^(?:drop|reindex) (?:index|table) /,
    unless: /concurrently/,
    because: 'waits for every statement on the table, and all others wait behind it: use concurrently',
  },
  {
    refuses: /\badd (?:constraint [\w"]+ )?(?:check|foreign key|unique|primary key|exclude)\b/,
    unless: /\bnot valid\b|\busing index\b/,
    because: 'checks every row under a lock: add it as not valid and validate it in a second file, or use an index',
  },
  { refuses: /\bset not null\b/, because: 'reads every row under a lock: use a check constraint' },
  { refuses: /\balter (?:column )?[\w"]+ (?:set data )?type\b/, because: 'rewrites the table: add another column' },
  { refuses: /\bset (?:logged|unlogged|tablespace|access method)\b/, because: 'rewrites the table' },
  { refuses: /\b(?:cluster|vacuum|truncate|lock)\b/, because: 'locks the whole table' },
  { refuses: /\brename\b/, because: 'breaks the previous version, which still uses the old name' },
  { refuses: /^(?:update|delete from|merge into) /, because: 'locks many rows: change them in batches, by a job' },
]

/** For each `add column` on a growing table. */
const columnRules: readonly Rule[] = [
  { refuses: /\b(?:small|big)?serial\b|\bgenerated\b/, because: 'computes a value for each row: rewrites the table' },
  {
    refuses: /\bdefault\b/,
    unless: /\bdefault (?:''(?:::[\w ]+)?|-?[\d.]+|true|false|null|now\(\)|current_timestamp|current_date)(?= |$)/,
    because: 'has a default that may differ from row to row: rewrites the table',
  },
  { refuses: /\bnot null\b/, unless: /\bdefault\b/, because: 'has no value for existing rows: add a default' },
  {
    refuses: /\b(?:check|references|unique|primary key)\b/,
    because: 'checks every row under a lock: add the constraint as not valid',
  },
]

const anywhere: readonly Rule[] = [
  { refuses: /^do /, because: 'cannot be judged: write plain statements' },
  {
    refuses: /\bdrop (?:column|table)\b/,
    because: 'may break the previous version: say in a comment that no released version reads it',
  },
]
const removalMark = /-- no released version reads it/i
const instantMark = /-- for an instant/i // Nothing that the lock waits for, or that it holds up, takes long.

/** Statements outside a transaction are run again after an interruption, so each must be harmless the second time. */
const repeatable =
  /^create (?:unique )?index concurrently |^drop index concurrently if exists |^reindex (?:index|table) concurrently |^alter table [\w."]+ validate constraint [\w"]+$|^create or replace |^drop \w+ if exists |^comment on /

/** Whether it only drops constraints that may be there, and adds only such as it has dropped. */
function replacesConstraints(code: string): boolean {
  const names = (action: string): string[] =>
    [...code.matchAll(new RegExp(`\\b${action} constraint (?:if exists )?(\\w+)`, 'g'))].map(([, name = '']) => name)
  const dropped = names('drop')
  return (
    /^alter table [\w."]+ drop constraint if exists /.test(code) &&
    !/ drop constraint (?!if exists )| (?:add|alter|drop) (?!constraint )/.test(code) &&
    names('add').every((name) => dropped.includes(name))
  )
}

/** One sentence for each problem of the migration. */
export function blockingStatements({ statements, outsideTransaction }: Omit<Migration, 'name' | 'text'>): string[] {
  const isNew = new Set(
    statements.flatMap(({ code }) => /^create table (?:if not exists )?([\w."]+)/.exec(code)?.[1] ?? []),
  )
  return statements.flatMap(({ text, code }) => {
    const found = (list: readonly Rule[], part = code): string[] =>
      list
        .filter(({ refuses, unless }) => refuses.test(part) && unless?.test(part) !== true)
        .map(({ because }) => `${part}: ${because}`)
    const problems = removalMark.test(text) ? [] : found(anywhere)
    const table = tableOf(code)
    if (table !== undefined && !isNew.has(table) && !smallTables.has(table)) {
      const isHarmless =
        (code.startsWith('update ') && writtenOnce.has(table)) || (code.startsWith('lock ') && instantMark.test(text))
      if (!isHarmless) problems.push(...found(rules))
      for (const [column] of code.matchAll(
        /\badd (?:column )?(?!constraint|check|foreign|unique|primary|exclude)(?:\((?:[^()]|\([^()]*\))*\)|[^,(])+/g,
      ))
        problems.push(...found(columnRules, column.trim()))
    }
    const alone = / concurrently | validate constraint /.test(code)
    if (alone && !outsideTransaction) problems.push(`${code}: belongs into a file that runs outside a transaction`)
    if (outsideTransaction && !repeatable.test(code) && !replacesConstraints(code))
      problems.push(`${code}: cannot be repeated after an interruption`)
    return problems
  })
}

/** The table that a statement locks; an index that is dropped counts as one of a growing table. */
function tableOf(code: string): string | undefined {
  return (
    /^create (?:unique )?index .*? on (?:only )?([\w."]+)/.exec(code)?.[1] ??
    /^(?:drop|reindex) (?:index|table) (?:concurrently )?(?:if exists )?([\w."]+)/.exec(code)?.[1] ??
    /^alter table (?:if exists )?(?:only )?([\w."]+)/.exec(code)?.[1] ??
    /^(?:update|delete from|merge into|truncate(?: table)?|lock(?: table)?|cluster|vacuum(?: full)?) (?:only )?([\w."]+)/.exec(
      code,
    )?.[1]
  )
}
