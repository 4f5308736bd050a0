import pg from 'pg'
import { DemoProblem } from './demo-problem.ts'

const demoLock = 7_263_548 // Any number that no one else locks.
const connectTimeoutMs = 5_000

/**
 * Connects, and holds the database for this demo until the connection ends: a second demo would revoke the keys of the first,
 * or delete its data. PostgreSQL gives the lock back when the demo is gone, however it went.
 */
export async function claimDatabase(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'parts demo',
    connectionTimeoutMillis: connectTimeoutMs,
  })
  client.on('error', () => {
    // The server went away. Whoever needs the database next is told so.
  })
  await client.connect()
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [demoLock])
  if (rows[0]?.free) return client
  await client.end()
  throw new DemoProblem(
    'Another demo is running on the same data: stop it first, or set DEMO_DATA_DIR to another directory.',
  )
}
