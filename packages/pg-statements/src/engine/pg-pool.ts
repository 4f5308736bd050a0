/** The plain driver: `pg` alone, one statement per connection at a time. Slower, and nothing in it is ours: for comparing and for doubt. */
import pg from 'pg'
import { treatmentOf } from '../classify.ts'
import type { Caller, Driver, DriverSettings } from './driver.ts'
import { readHosts } from '../hosts.ts'
import { sessionCommands, sessionSettingNames } from '../session-settings.ts'
import type { Row, Statement } from '../statement.ts'
import { CallerGone, DatabaseTrouble, UnusableDatabase } from '../trouble.ts'

/** Leaves every value as PostgreSQL's text: the statement's own types decode it. */
const asText = { getTypeParser: () => (text: string) => text }

export function openPgPool(settings: DriverSettings): Driver {
  const { urls } = readHosts(settings.url, sessionSettingNames(settings))
  if (urls.length > 1) throw new UnusableDatabase('The driver pg takes one host in the database URL, not several.')
  const pool = new pg.Pool({
    connectionString: urls[0],
    application_name: 'parts',
    max: settings.poolSize,
    connectionTimeoutMillis: settings.statementTimeoutMs,
    query_timeout: settings.statementTimeoutMs + 2_000, // PostgreSQL cancels before; this is for a server that went silent.
    keepAlive: true,
    maxLifetimeSeconds: (settings.connectionAgeMaxMs ?? 30 * 60_000) / 1000,
    onConnect: async (client) => void (await client.query(sessionCommands(settings))),
  })
  pool.on('error', () => undefined) // An idle connection broke: the pool opens another.
  let measuredAt = performance.now()
  let ended = 0

  async function query(
    statement: Statement,
    values: readonly (string | null)[],
    caller: Caller | undefined,
  ): Promise<Row[]> {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      if (caller?.isGone() === true) throw new CallerGone()
      if (caller !== undefined && performance.now() >= caller.deadline) throw new DatabaseTrouble('busy')
      const { fields, rows } = await client.query<(string | null)[]>({
        name: statement.name,
        text: statement.text,
        values: [...values],
        rowMode: 'array',
        types: asText,
      })
      return rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, decode(statement, name, row[i])])))
    } catch (error) {
      if (isOver(error)) broken = error
      throw error
    } finally {
      client.release(broken)
      ended++
    }
  }

  return {
    query,
    replaceConnections: () => undefined, // A connection that meets a read-only server is not used again.
    load: () => {
      const now = performance.now()
      const waitMs = ended > 0 ? (pool.waitingCount / ended) * (now - measuredAt) : 0
      measuredAt = now
      ended = 0
      return { reading: waitMs, writing: waitMs }
    },
    loadOf: () => 0,
    state: () => ({
      open: pool.totalCount,
      busy: pool.totalCount - pool.idleCount,
      stuck: 0,
      queued: pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

/** Whether the connection must not be used again. */
function isOver(error: unknown): error is Error {
  if (error instanceof CallerGone || error instanceof DatabaseTrouble || !(error instanceof Error)) return false
  return !(error instanceof pg.DatabaseError) || /^(replace|prepare)/.test(treatmentOf(error))
}

function decode({ columns }: Statement, name: string, value: string | null | undefined): unknown {
  if (value === null || value === undefined) return null
  const bytes = Buffer.from(value)
  return columns[name]?.decode(bytes, 0, bytes.length)
}
