/**
 * Prepared statements and settings belong to a session. A pooler in transaction mode gives each transaction another
 * session, so both would be lost, and some statements would run with the settings of another program.
 */
import pg from 'pg'
import { UnusableDatabase } from '../trouble.ts'

const roundsMax = 3 // Other clients of the pooler may use a free session in between.

/** `client` is connected to a pooler. Throws if two clients can get the same session in turn. */
export async function refuseTransactionPooler(client: pg.Client, url: string): Promise<void> {
  const other = new pg.Client({ connectionString: url, application_name: 'parts' })
  other.on('error', () => undefined)
  try {
    await other.connect()
    for (let round = 0; round < roundsMax; round++) {
      const own = await pidOf(client)
      // In session mode, `client` keeps its session, so the other one has a different one.
      if ((await pidOf(other)) === own || (await pidOf(client)) !== own)
        throw new UnusableDatabase(
          'The database URL leads to a connection pooler in transaction mode, which loses prepared statements and ' +
            'settings. Connect to PostgreSQL directly, or set the pooler to session mode (pool_mode = session).',
        )
    }
  } finally {
    other.connection.stream.destroy()
  }
}

async function pidOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
