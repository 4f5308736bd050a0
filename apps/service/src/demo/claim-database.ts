import pg from 'pg'
import { asErrno, DemoProblem } from './demo-problem.ts'

const demoLock = 7_263_548 // Any number that nothing else locks.
const connectTimeoutMs = 5_000

/**
 * Connects, and locks the database for this demo until the connection ends: a second demo would revoke the keys of the
 * first, or delete its data. PostgreSQL releases the lock when the demo ends, even if it is killed.
 */
export async function claimDatabase(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'parts demo',
    connectionTimeoutMillis: connectTimeoutMs,
  })
  client.on('error', () => {
    // The server is gone. The next statement fails and reports it.
  })
  await client.connect()
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [demoLock])
  if (rows[0]?.free) return client
  await client.end()
  throw new DemoProblem(
    'Another demo is running on the same data: stop it first, or set DEMO_DATA_DIR to another directory.',
  )
}

/** Claims the database, with a failure that the person at the terminal can fix. */
export async function connectDemo(databaseUrl: string): Promise<pg.Client> {
  try {
    return await claimDatabase(databaseUrl)
  } catch (error) {
    if (error instanceof DemoProblem) throw error
    const { message, code = '' } = asErrno(error)
    throw new DemoProblem(`Cannot connect to PostgreSQL: ${message || code}. Check DATABASE_URL.`, { cause: error })
  }
}
