/**
 * Applies one migration while the service is running. A statement that waits for a table lock makes every later
 * statement on this table wait behind it. So it gives up after `lockTimeoutMs`, lets the others pass, and tries again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Migration } from './migration-files.ts'
import type { SqlStatement } from './sql-statements.ts'
import { MigrationProblem } from './migration-problem.ts'

const lockTimeoutMs = 200 // Others may be delayed by this much; load shedding of orders starts at 400 ms.
const firstPauseMs = 250
const longestPauseMs = 10_000
const givesUpAfterMs = 15 * 60_000 // Longer than any transaction of the service; somebody has to look at it.

/** Reports progress, in a sentence. */
export type Say = (sentence: string) => void

export async function applyMigration(client: pg.Client, migration: Migration, say: Say): Promise<void> {
  const started = performance.now()
  if (migration.outsideTransaction) await applyOutsideTransaction(client, migration, say)
  else await applyInTransaction(client, migration, say)
  say(`Applied ${migration.name} in ${seconds(performance.now() - started)}.`)
}

function applyInTransaction(client: pg.Client, { name, text }: Migration, say: Say): Promise<void> {
  return runInTransaction(client, { name, text, record: () => recordMigration(client, name) }, say)
}

/** Runs SQL completely or not at all, and `record` with it. */
export async function runInTransaction(
  client: pg.Client,
  { name, text, record }: { name: string; text: string; record: () => Promise<unknown> },
  say: Say,
): Promise<void> {
  await untilNotLocked(client, name, say, async () => {
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
      await client.query(text)
      await record()
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw explained(error, `${name} failed, and nothing of it was applied`)
    }
  })
}

async function applyOutsideTransaction(client: pg.Client, { name, statements }: Migration, say: Say): Promise<void> {
  for (const [n, statement] of statements.entries()) {
    const place = `statement ${n + 1} of ${statements.length}`
    await untilNotLocked(client, `${name}, ${place},`, say, async () => {
      try {
        await runAlone(client, statement)
      } catch (error) {
        throw explained(error, `${name} failed in ${place}. The statements before it were applied; run it again`)
      }
    })
  }
  await recordMigration(client, name)
}

const buildsIndex = /^create (?:unique )?index concurrently (?:if not exists )?([\w."]+) on /
/** They wait for other transactions, but nobody has to wait behind them: their table lock allows reads and writes. */
const waitsHarmlessly = / index concurrently | validate constraint /

async function runAlone(client: pg.Client, { text, code }: SqlStatement): Promise<void> {
  const index = buildsIndex.exec(code)?.[1]
  if (index !== undefined && (await isBuilt(client, index))) return
  await client.query(`set lock_timeout = ${waitsHarmlessly.test(code) ? 0 : lockTimeoutMs}`)
  try {
    await client.query(text)
  } catch (error) {
    // What an interrupted build leaves is useless, but every change of the table would maintain it.
    if (index !== undefined) await dropInvalid(client, index)
    throw error
  } finally {
    await client.query('set lock_timeout = 0')
  }
}

/** Whether an earlier run has completed the index. What it left of an interrupted build is dropped. */
async function isBuilt(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  if (rows[0]?.valid === false) await dropInvalid(client, index)
  return rows[0]?.valid === true
}

const dropInvalid = (client: pg.Client, index: string): Promise<unknown> =>
  client.query(`drop index concurrently if exists ${index}`)

const recordMigration = (client: pg.Client, name: string): Promise<unknown> =>
  client.query('insert into migrations (name, run_on) values ($1, now())', [name])

const lockNotAvailable = '55P03'
const deadlock = '40P01'

async function untilNotLocked(client: pg.Client, what: string, say: Say, attempt: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + givesUpAfterMs
  for (let tries = 1; ; tries++) {
    try {
      await attempt()
      return
    } catch (error) {
      if (![lockNotAvailable, deadlock].includes(codeOf(error))) throw error
      if (performance.now() > deadline)
        throw new MigrationProblem(
          `${what} did not get its lock in ${seconds(givesUpAfterMs)}. ${await oldestTransaction(client)}`,
          { cause: error },
        )
      const pauseMs = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs) * (0.75 + Math.random() / 2)
      say(
        `${what} could not get its lock within ${lockTimeoutMs} ms and lets other transactions pass. ` +
          `${await oldestTransaction(client)} Attempt ${tries + 1} in ${seconds(pauseMs)}.`,
      )
      await sleep(pauseMs)
    }
  }
}

/** The most likely reason to wait, for the person who watches the migration. */
async function oldestTransaction(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; age: number }>(
    `select pid, application_name as name, extract(epoch from now() - xact_start)::float8 as age
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`,
  )
  const [oldest] = rows
  if (oldest === undefined) return 'No other transaction is open now.'
  const { pid, name, age } = oldest
  return `The oldest open transaction is that of process ${pid}${name && ` (${name})`}, for ${seconds(age * 1000)}.`
}

/** Errors that are retried keep their code; the others become a sentence. */
function explained(error: unknown, what: string): unknown {
  if (!(error instanceof pg.DatabaseError) || [lockNotAvailable, deadlock].includes(codeOf(error))) return error
  return new MigrationProblem(`${what}: ${error.message} (${error.code}).`, { cause: error })
}

const codeOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '')

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
