/**
 * For `npm test` and the other scripts that run all tests: in a fresh clone the console is built, and where no PostgreSQL
 * can be used, the one that comes with the demo is started for this run. Node runs this once, before the first test file
 * and after the last.
 */
import { execFileSync } from 'node:child_process'
import pg from 'pg'
import { serverUrl } from './database.ts'
import { isConsoleBuilt } from '../console/serve-console.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../demo/embedded-postgres.ts'

let server: EmbeddedPostgres | undefined

export async function globalSetup(): Promise<void> {
  if (!isConsoleBuilt()) {
    say('Building the console.')
    execFileSync('npm', ['run', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const problem = process.env['TEST_DATABASE_URL'] === undefined ? await whyUnusable(serverUrl) : undefined
  if (problem === undefined) return
  say(`No PostgreSQL at ${serverUrl} (${problem}), and TEST_DATABASE_URL is not set: starting one for this run.`)
  server = await startEmbeddedPostgres({}, { owner: 'tests', fresh: true, say })
  process.env['TEST_DATABASE_URL'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop() // Its data is deleted by the next run.
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Undefined if it lets us create databases. */
async function whyUnusable(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ allowed: boolean }>(
      'select rolcreatedb or rolsuper as allowed from pg_roles where rolname = current_user',
    )
    return rows[0]?.allowed === true ? undefined : 'the user may not create databases'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}
