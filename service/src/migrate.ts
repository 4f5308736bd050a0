import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { renumberRestoredEvents } from './events/renumber-restored-events.ts'
import { installJobQueue } from './worker/job-queue.ts'

export const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url))

/** Brings the database up to date. Several processes may call this at once: the runner takes an advisory lock. */
export async function migrate(databaseUrl: string, log: (message: string) => void): Promise<void> {
  await onDatabase(databaseUrl, refuseWrongDatabase)
  await runner({
    databaseUrl,
    dir: migrationsDir,
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    singleTransaction: false,
    log,
  })
  await onDatabase(databaseUrl, renumberRestoredEvents)
  await installJobQueue(databaseUrl)
}

/** Article codes are compared ignoring case by `lower`, which in a database of another kind knows only a to z. */
async function refuseWrongDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ fit: boolean }>(
    `select getdatabaseencoding() = 'UTF8' and lower('ÄЖ') = 'äж' as fit`,
  )
  if (!rows[0]?.fit) {
    throw new Error(
      `The database must have the encoding UTF8 and a locale that knows upper and lower case, such as C.UTF-8: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'.`,
    )
  }
}

async function onDatabase(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
