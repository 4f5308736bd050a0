/** The plain driver: `pg` alone, one statement per connection at a time. Slower, and nothing in it is ours: for comparing and for doubt. */
import pg from 'pg'
import { sessionOptions, type Driver, type DriverSettings } from './driver.ts'
import type { Row, Statement } from './statement.ts'

/** Leaves every value as PostgreSQL's text: the statement's own types decode it. */
const asText = { getTypeParser: () => (text: string) => text }

export function openPgPool(settings: DriverSettings): Driver {
  const pool = new pg.Pool({
    connectionString: settings.url,
    application_name: 'parts',
    max: settings.poolSize,
    connectionTimeoutMillis: settings.statementTimeoutMs,
    query_timeout: settings.statementTimeoutMs + 2_000, // PostgreSQL cancels before; this is for a server that went silent.
    keepAlive: true,
    options: sessionOptions(settings),
  })
  pool.on('error', () => undefined) // An idle connection broke: the pool opens another.
  let measuredAt = performance.now()
  let ended = 0

  async function query(statement: Statement, values: readonly (string | null)[]): Promise<Row[]> {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      const { fields, rows } = await client.query<(string | null)[]>({
        name: statement.name,
        text: statement.text,
        values: [...values],
        rowMode: 'array',
        types: asText,
      })
      return rows.map((row) => Object.fromEntries(fields.map(({ name }, i) => [name, decode(statement, name, row[i])])))
    } catch (error) {
      if (error instanceof Error && !(error instanceof pg.DatabaseError)) broken = error
      throw error
    } finally {
      client.release(broken)
      ended++
    }
  }

  return {
    query,
    expectedWaitMs: () => {
      const now = performance.now()
      const waitMs = ended > 0 ? (pool.waitingCount / ended) * (now - measuredAt) : 0
      measuredAt = now
      ended = 0
      return { reading: waitMs, writing: waitMs }
    },
    close: () => pool.end(),
  }
}

function decode({ columns }: Statement, name: string, value: string | null | undefined): unknown {
  if (value === null || value === undefined) return null
  const bytes = Buffer.from(value)
  return columns[name]?.decode(bytes, 0, bytes.length)
}
