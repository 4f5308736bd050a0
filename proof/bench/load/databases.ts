/** The databases of the benchmarks: their URLs, creating and dropping them. */
import { Client, escapeIdentifier } from 'pg'

/** The URL of a database given by name or URL. DATABASE_URL is the default, and gives the server for a name. */
export function databaseUrl(nameOrUrl: string | undefined): string {
  const urlDefault = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/parts_bench'
  if (nameOrUrl === undefined || nameOrUrl.includes('://')) return nameOrUrl ?? urlDefault
  const url = new URL(urlDefault)
  url.pathname = `/${nameOrUrl}`
  return url.href
}

/** Creates the database if it does not exist; `fresh` drops an existing one first. */
export async function createDatabase(url: string, fresh: boolean): Promise<void> {
  const { name, quoted } = nameOf(url)
  await asAdministrator(url, async (client) => {
    if (fresh) await client.query(`drop database if exists ${quoted}`)
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0)
      await client.query(`create database ${quoted} template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  })
}

export async function dropDatabase(url: string): Promise<void> {
  await asAdministrator(
    url,
    async (client) => void (await client.query(`drop database if exists ${nameOf(url).quoted}`)),
  )
}

/** In later sessions of the database, a commit does not wait until it is on the disk. */
export async function commitWithoutDisk(url: string): Promise<void> {
  await asAdministrator(
    url,
    async (client) => void (await client.query(`alter database ${nameOf(url).quoted} set synchronous_commit = off`)),
  )
}

const filledByMigrations = ['migrations', 'installed_functions', 'reject_reasons']

export async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename <> all($1) order by 1`,
    [filledByMigrations],
  )
  return rows.map(({ name }) => name)
}

/** Generated rows have fixed ids, which may collide with existing rows. */
export async function refuseFilled(client: Client, tables: readonly string[]): Promise<void> {
  const anyRow = tables
    .map((name) => `select '${name}' as name where exists (select 1 from ${name})`)
    .join(' union all ')
  const { rows: filled } = await client.query<{ name: string }>(anyRow)
  if (filled.length > 0) {
    throw new Error(
      `The database is not empty (${filled.map(({ name }) => name).join(', ')}): --fresh drops it and starts again.`,
    )
  }
}

function nameOf(url: string): { name: string; quoted: string } {
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  return { name, quoted: escapeIdentifier(name) }
}

async function asAdministrator(url: string, act: (client: Client) => Promise<void>): Promise<void> {
  const server = new URL(url)
  server.pathname = '/postgres'
  const client = new Client({ connectionString: server.href })
  await client.connect()
  try {
    await act(client)
  } finally {
    await client.end()
  }
}
