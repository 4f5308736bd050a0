/** Each test file gets its own database, cloned from a template that is migrated once. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../migrate.ts'
import { functionsDir, readFunctions } from '../functions/function-files.ts'
import { migrationsDir, readMigrations } from '../migrations/migration-files.ts'

export const serverUrl = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export interface TestDatabase {
  readonly url: string
  /** Sends SQL directly to the database, to prepare and to inspect data. */
  readonly query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>
  readonly drop: () => Promise<void>
}

const advisoryLock = 20_261_115

export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(migratedTemplate)
}

/** A database without any table. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createFrom(async () => `template0 encoding 'UTF8'`)
}

async function createFrom(templateOf: (server: pg.Client) => Promise<string>): Promise<TestDatabase> {
  const name = `parts_test_${process.pid}_${Date.now().toString(36)}_${Math.floor(Math.random() * 1e6).toString(36)}`
  await onServer(async (server) => {
    const template = await templateOf(server)
    await server.query(`create database ${name} template ${template}`)
    await server.query(`alter database ${name} set synchronous_commit = off`) // No test crashes this server.
  })
  const url = urlOf(name)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  return {
    url,
    query: async (sql, values) => (await pool.query<Record<string, unknown>>(sql, values)).rows,
    drop: async () => {
      await pool.end()
      await onServer(async (server) => {
        await connectionsGone(server, name)
        await server.query(`drop database ${name} with (force)`)
      })
    },
  }
}

/** A closed pool may still be disconnecting, and cutting it off then would raise an error outside of any test. */
async function connectionsGone(server: pg.Client, database: string): Promise<void> {
  for (let attempt = 0; attempt < 1_500; attempt++) {
    const { rowCount } = await server.query('select 1 from pg_stat_activity where datname = $1', [database])
    if (rowCount === 0) return
    await sleep(20)
  }
}

/** The template's name contains a hash of migrations and functions, so a changed one gets a new template. */
async function migratedTemplate(server: pg.Client): Promise<string> {
  const hash = createHash('sha256')
  for (const { name, text } of readMigrations(migrationsDir)) hash.update(name).update(text)
  for (const { text } of readFunctions(functionsDir)) hash.update(text)
  const name = `parts_template_${hash.digest('hex').slice(0, 12)}`
  await server.query('select pg_advisory_lock($1)', [advisoryLock])
  const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [name])
  if (rowCount === 0) {
    const unfinished = `${name}_unfinished`
    await server.query(`drop database if exists ${unfinished} with (force)`)
    await server.query(`create database ${unfinished} template template0 encoding 'UTF8'`)
    await migrate(urlOf(unfinished), () => undefined)
    await server.query(`alter database ${unfinished} rename to ${name}`)
  }
  return name
}

async function onServer<T>(work: (server: pg.Client) => Promise<T>): Promise<T> {
  const server = new pg.Client({ connectionString: serverUrl })
  await server.connect()
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}

function urlOf(database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
