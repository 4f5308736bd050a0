/**
 * The queue of the worker's jobs: graphile-worker's tables, in a schema of their own beside ours. The library is loaded only by those
 * who migrate or work: it takes a third of a second.
 */
import pg from 'pg'

export const jobQueueSchema = 'graphile_worker'

const connectTimeoutMs = 10_000

/** Makes the queue or brings it up to date. Several processes may do so at once: whoever comes second goes on with what is left. */
export async function installJobQueue(databaseUrl: string): Promise<void> {
  const { Logger, runMigrations } = await import('graphile-worker')
  const pool = openJobQueuePool(databaseUrl, () => undefined) // Whoever sends a statement is told of its failure.
  try {
    await runMigrations({ pgPool: pool, schema: jobQueueSchema, logger: new Logger(() => () => undefined) })
  } finally {
    await pool.end()
  }
}

/** For graphile-worker only: it holds one connection to be told of new jobs, and takes others in turn. */
export function openJobQueuePool(connectionString: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    application_name: 'parts worker',
    max: 6,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: connectTimeoutMs,
  })
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError)) // A connection in use that breaks must not end the process.
  return pool
}
