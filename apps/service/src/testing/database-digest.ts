import assert from 'node:assert/strict'
import type { TestService } from './service.ts'

/** A refused import keeps its record and its errors, so that the sender can read them. Traces stay. */
const keptByRefusals: Readonly<Record<string, string>> = {
  imports: 'true',
  import_errors: 'true',
  audit_entries: `audit_action in ('import_started', 'sign_in_failed')`,
  audit_counter: 'true',
}

/**
 * A digest of the rows of each table: a refusal must not change any of them. The tables come from PostgreSQL's
 * catalogue, so a new table is covered without being listed. `last_used_at` of keys does not change in between, since
 * `startService` sets an interval of one hour for writing it.
 */
export async function databaseDigest(service: TestService): Promise<Record<string, unknown>> {
  const tables = await tablesOf(service)
  for (const kept of Object.keys(keptByRefusals)) assert(tables.includes(kept), `There is no table ${kept}.`)
  const digests = tables.map(
    (table) => `(select md5(string_agg(t::text, ';' order by t::text)) from ${table} t
        where not (${keptByRefusals[table] ?? 'false'})) as ${table}`,
  )
  const [row] = await service.sql(`select ${digests.join(', ')}`)
  assert(row)
  return row
}

/** The rows of all tables with one of these words, each behind the name of its table. */
export async function rowsWith(service: TestService, words: RegExp): Promise<string[]> {
  const tables = await tablesOf(service)
  const rows = tables.map((table) => `select '${table} ' || t::text as row from only ${table} t`)
  return (await service.sql(rows.join(' union all '))).map(({ row }) => String(row)).filter((row) => words.test(row))
}

async function tablesOf({ sql }: TestService): Promise<string[]> {
  const rows = await sql(
    `select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by relname`,
  )
  return rows.map(({ relname }) => String(relname))
}
