/**
 * A pooler in transaction mode gives each transaction another session of the server. Newer ones (PgBouncer 1.21) keep
 * prepared statements. No version keeps the rest: our settings would be lost, and would remain for other programs; a wait
 * for a lock that we cancel would be somebody else's; notifications and locks of a session would be somebody else's too.
 * `pooler.test.ts` shows each of them.
 */
import pg from 'pg'
import { UnusableDatabase } from '../trouble.ts'

const roundsMax = 3 // Other clients of the pooler may use a free session in between.

/** Throws if `client`, whose session has the process `pid`, is connected to a pooler that gives sessions to several in turn. */
export async function refuseTransactionPooler(client: pg.Client, url: string, pid: number): Promise<void> {
  // A pooler answers in the server's place and invents the number of the process.
  if ((client as pg.Client & { readonly processID: number | null }).processID === pid) return
  const other = new pg.Client({ connectionString: url, application_name: 'parts' })
  other.on('error', () => undefined)
  try {
    await other.connect()
    for (let round = 0; round < roundsMax; round++) {
      const own = await pidOf(client)
      // In session mode, `client` keeps its session, so the other one has a different one.
      if ((await pidOf(other)) === own || (await pidOf(client)) !== own)
        throw new UnusableDatabase(
          'The database URL leads to a connection pooler in transaction mode. No version of it will do: time zone, ' +
            "timeouts and planner settings would be lost, and cancelling a statement could end another program's. " +
            'Connect to PostgreSQL directly, or set the pooler to session mode (pool_mode = session).',
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
