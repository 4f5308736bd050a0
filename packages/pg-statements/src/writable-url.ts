import pg from 'pg'
import { readHosts } from './hosts.ts'
import { DatabaseTrouble } from './trouble.ts'

/** The URL of the server that accepts changes, for programs that take one host, such as the runner of migrations. */
export async function writableUrl(url: string): Promise<string> {
  const { urls } = readHosts(url, new Set())
  const [only] = urls
  if (only !== undefined && urls.length === 1) return only
  let cause: unknown
  for (const each of urls)
    try {
      if (await acceptsChanges(each)) return each
    } catch (error) {
      cause ??= error
    }
  throw new DatabaseTrouble('unavailable', { cause: cause ?? new Error('None of the servers accepts changes.') })
}

async function acceptsChanges(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ writable: boolean }>(
      `select not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean as writable`,
    )
    return rows[0]?.writable === true
  } finally {
    await client.end()
  }
}
