import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { renumberRestoredEvents } from './events/renumber-restored-events.ts'

export const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url))

/** Applies the migrations that are missing. Several processes may call this at once: the runner takes an advisory lock. */
export async function migrate(databaseUrl: string, log: (message: string) => void): Promise<void> {
  await onDatabase(databaseUrl, refuseUnsuitableDatabase)
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
}

/** Vendor codes are compared ignoring case, by `lower`. With the locale C it changes only the letters a to z. */
async function refuseUnsuitableDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ suitable: boolean }>(
    `select getdatabaseencoding() = 'UTF8' and lower('ÄЖ') = 'äж' as suitable`,
  )
  if (!rows[0]?.suitable) {
    throw new Error(
      `The database must have the encoding UTF8 and a locale with upper and lower case for all scripts, such as C.UTF-8: create database … template template0 encoding 'UTF8' locale 'C.UTF-8'.`,
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
