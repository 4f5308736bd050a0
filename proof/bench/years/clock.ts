/**
 * A clock that can be moved: a function `now()` that the search path finds before PostgreSQL's own. The service's
 * statements and the defaults of columns then have the simulated time, and no stored row is touched. `current_date` is
 * no function and cannot be replaced: shipping dates and daily figures stay in the present.
 */
import { escapeIdentifier, type Client } from 'pg'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { text } from 'pg-statements/types.ts'

const moveClockSql = statement(new URL('move-clock.sql', import.meta.url), {
  parameters: { shift: text },
  columns: { shift: text },
})

/** For sessions that are opened from now on. */
export async function installClock(session: Client): Promise<void> {
  await session.query('create schema bench_clock')
  await session.query(`
    create function bench_clock.now() returns timestamptz language sql stable as
    $$ select pg_catalog.now() + current_setting('bench.shift')::interval $$`)
  const { rows } = await session.query<{ change: string }>(`
    select format('alter table %s alter column %I set default bench_clock.now()', d.adrelid::regclass, a.attname) as change
    from pg_attrdef d
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where pg_get_expr(d.adbin, d.adrelid) = 'now()'`)
  for (const { change } of rows) await session.query(change)
}

/** A copy of a database does not have the settings of the original, so each is set on its own. */
export async function setClock(session: Client, days: number): Promise<void> {
  const { rows } = await session.query<{ name: string }>('select current_database() as name')
  const database = `alter database ${escapeIdentifier(rows[0]?.name ?? '')}`
  await session.query(`${database} set search_path = bench_clock, pg_catalog, public`)
  await session.query(`${database} set bench.shift = '${days} days'`)
}

/** For the only connection of `db`, which may be replaced by another one at any time. */
export async function moveClock(session: Client, db: Database, days: number): Promise<void> {
  await setClock(session, days)
  await reportStatistics(db, days)
}

/** PostgreSQL then knows what the connection has changed. The clock stays. */
export async function reportStatistics(db: Database, days: number): Promise<void> {
  await db.row(moveClockSql, { shift: `${days} days` })
}
