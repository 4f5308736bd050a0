/** Opens a session on the first of the servers that can be used, and makes sure of its settings. */
import pg from 'pg'
import type { DriverSettings } from './driver.ts'
import type { Hosts } from '../hosts.ts'
import type { LeftBehind, ServerSession } from './left-behind.ts'
import { refuseTransactionPooler } from './pooler.ts'
import { sessionCommands } from '../session-settings.ts'

export interface OpenedClient {
  readonly client: pg.Client
  readonly readOnly: boolean
  readonly server: ServerSession
}

/** What is known of the servers, for all connections of a database. */
export interface KnownServers {
  /** The server that could be used last: the one to begin with. */
  index: number
  readonly leftBehind: LeftBehind
}

const keepAliveAfterMs = 10_000 // Finds a peer that is gone before its address translation forgets the connection.
const connectTimeoutMaxMs = 3_000 // A server that does not answer delays the next one in the list by this much.

export async function openClient(
  settings: DriverSettings,
  hosts: Hosts,
  known: KnownServers,
  mustWrite: boolean,
): Promise<OpenedClient> {
  let failure: unknown
  for (let i = 0; i < hosts.urls.length; i++) {
    const index = (known.index + i) % hosts.urls.length
    try {
      const opened = await openOne(settings, hosts.urls[index] ?? '', known.leftBehind)
      if (opened.readOnly && (mustWrite || hosts.readWriteOnly)) {
        void opened.client.end().catch(() => undefined)
        throw new Error('Cannot connect for writing: the server accepts no changes.')
      }
      known.index = index
      return opened
    } catch (error) {
      failure ??= error // That of the preferred server says most.
    }
  }
  throw failure
}

async function openOne(settings: DriverSettings, url: string, leftBehind: LeftBehind): Promise<OpenedClient> {
  const client = new pg.Client({
    connectionString: url,
    application_name: settings.sessionName ?? 'parts',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  })
  client.on('error', () => undefined) // A query in progress gets the error, too.
  const timer = setTimeout(
    () => client.connection.stream.destroy(new Error('timeout expired while connecting')),
    Math.min(settings.statementTimeoutMs, connectTimeoutMaxMs),
  )
  try {
    await client.connect()
    const { pid, read_only, seen_at } = await introduce(client, settings)
    await refuseTransactionPooler(client, url, pid)
    if (leftBehind.size > 0) await leftBehind.review(client, url)
    return { client, readOnly: read_only, server: { url, pid, seenAt: seen_at } }
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

interface Server {
  readonly pid: number
  readonly read_only: boolean
  readonly seen_at: string
}

/** One round trip: the settings, and what there is to know of the server. */
async function introduce(client: pg.Client, settings: DriverSettings): Promise<Server> {
  const results = (await client.query(
    `${sessionCommands(settings)};
     select pg_backend_pid() as pid, clock_timestamp()::text as seen_at,
       pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
  )) as unknown as pg.QueryResult<Server>[]
  const server = results.at(-1)?.rows[0]
  if (server === undefined) throw new Error('Cannot connect: the server did not describe itself.')
  return server
}
