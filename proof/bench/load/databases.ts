/** The databases of the benchmarks: their URLs, creating and dropping them. */
import { Client, escapeIdentifier, escapeLiteral } from 'pg'

/** The URL of a database given by name or URL. DATABASE_URL is the default, and gives the server for a name. */
export function databaseUrl(nameOrUrl: string | undefined): string {
  const urlDefault = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/parts_bench'
  if (nameOrUrl === undefined || nameOrUrl.includes('://')) return nameOrUrl ?? urlDefault
  return onServer(urlDefault, nameOrUrl)
}

/** The URL of another database on the same server, with the same parameters. */
function onServer(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

export async function inSession<T>(url: string, use: (session: Client) => Promise<T>): Promise<T> {
  const session = new Client({ connectionString: url })
  await session.connect()
  try {
    return await use(session)
  } finally {
    await session.end()
  }
}

/** Creates the database if it does not exist; `fresh` drops an existing one first. */
export async function createDatabase(url: string, fresh: boolean): Promise<void> {
  if (fresh) await dropDatabase(url)
  const found = await asAdministrator(url, 'select from pg_database where datname = :text')
  if (found === 0)
    await asAdministrator(url, `create database :name template template0 encoding 'UTF8' locale 'C.UTF-8'`)
}

export async function dropDatabase(url: string): Promise<void> {
  await asAdministrator(url, 'drop database if exists :name')
}

/** In later sessions of the database, a commit does not wait until it is on the disk. */
export async function commitWithoutDisk(url: string): Promise<void> {
  await asAdministrator(url, 'alter database :name set synchronous_commit = off')
}

const filledByMigrations = ['migrations', 'installed_functions', 'reject_reasons', 'audit_counter', 'item_feed']

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
  const anyRow = tables.map((name) => `select '${name}' as name where exists (select 1 from ${name})`)
  const { rows } = await client.query<{ name: string }>(anyRow.join(' union all '))
  const filled = rows.map(({ name }) => name).join(', ')
  if (filled !== '') throw new Error(`The database is not empty (${filled}): --fresh drops it and starts again.`)
}

/** `:name` is the name of the database, `:text` the same as a value. Returns the number of rows. */
function asAdministrator(url: string, sql: string): Promise<number> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  return inSession(onServer(url, 'postgres'), async (session) => {
    const named = sql.replace(':name', escapeIdentifier(name)).replace(':text', escapeLiteral(name))
    return (await session.query(named)).rowCount ?? 0
  })
}
