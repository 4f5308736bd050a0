/** Connections to the PostgreSQL of a server, as its superuser or as a role of one distributor. */
import pg from 'pg'
import type { Distributor } from './directory.ts'
import type { FleetServer } from './fleet-config.ts'

export type OwnRole = 'owner' | 'service' | 'reader' | 'move'

/** What a session does is stopped when its client is gone: a command that was killed leaves nothing behind. */
const options = '-c client_connection_check_interval=200 -c statement_timeout=0 -c lock_timeout=10000 -c TimeZone=UTC'

export async function inDatabase<T>(
  server: FleetServer,
  { name }: { readonly name: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return inDatabaseNamed(server, name, name, work)
}

/** In the database that every server has. `name` is the distributor for which it is done. */
export const inServer = <T>(
  server: FleetServer,
  { name }: { readonly name: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => inDatabaseNamed(server, 'postgres', name, work)

/** While orders wait, sessions are kept: opening one takes longer than most of what they do. */
let kept: Map<string, Promise<pg.Client>> | undefined

export async function keepingSessions<T>(work: () => Promise<T>): Promise<T> {
  kept = new Map()
  try {
    return await work()
  } finally {
    const sessions = [...kept.values()]
    kept = undefined
    await Promise.allSettled(sessions.map(async (session) => (await session).end()))
  }
}

async function inDatabaseNamed<T>(
  server: FleetServer,
  database: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const url = new URL(server.postgres)
  url.pathname = `/${database}`
  if (kept !== undefined) return work(await kept.getOrInsertComputed(url.href, () => open(url.href, name)))
  const client = await open(url.href, name)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function open(connectionString: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: `fleet ${name}`, options })
  client.on('error', () => {
    // The statement in progress fails and reports it.
  })
  await client.connect()
  return client
}

/** Sessions of an earlier command for this distributor that was killed a moment ago. */
export const endLeftSessions = (server: FleetServer, distributor: { readonly name: string }): Promise<void> =>
  inServer(server, distributor, async (client) => {
    await client.query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
       where application_name = $1 and pid <> pg_backend_pid()`,
      [`fleet ${distributor.name}`],
    )
  })

export const databaseExists = (server: FleetServer, { name }: { readonly name: string }): Promise<boolean> =>
  inServer(server, { name }, async (client) =>
    Boolean(await oneValue(client, 'select true from pg_database where datname = $1', [name])),
  )

export async function createEmptyDatabase(server: FleetServer, { name }: { readonly name: string }): Promise<void> {
  if (await databaseExists(server, { name })) return
  await inServer(server, { name }, (client) =>
    client.query(`create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`),
  )
}

export async function dropDatabase(server: FleetServer, { name }: { readonly name: string }): Promise<void> {
  await inServer(server, { name }, (client) => client.query(`drop database if exists ${name} with (force)`))
}

export async function oneValue<T>(client: pg.Client, sql: string, values: readonly unknown[] = []): Promise<T> {
  const { rows } = await client.query<[T]>({ text: sql, values: [...values], rowMode: 'array' })
  return rows[0]?.[0] as T
}

/** The URL of one role. With two servers, the one whose database accepts changes is used. */
export function urlAs(role: OwnRole, distributor: Distributor, ...servers: readonly FleetServer[]): string {
  const { name, passwords } = distributor
  const hosts = servers.map((server) => `${server.address}:${portOf(server)}`).join(',')
  const { search } = new URL(servers[0]?.postgres ?? '')
  const parameters = new URLSearchParams(search)
  if (servers.length > 1) parameters.set('target_session_attrs', 'read-write')
  const query = parameters.size === 0 ? '' : `?${parameters.toString()}`
  return `postgres://${name}_${role}:${passwords[role]}@${hosts}/${name}${query}`
}

/** For a subscription: how another server reaches this one. */
export function conninfoOf({ name, passwords }: Distributor, server: FleetServer): string {
  const parameters = new URLSearchParams(new URL(server.postgres).search)
  const tls = [...parameters].map(([key, value]) => ` ${key}=${value}`).join('')
  return `host=${server.address} port=${portOf(server)} dbname=${name} user=${name}_move password=${passwords.move}${tls}`
}

const portOf = ({ postgres }: FleetServer): string => new URL(postgres).port || '5432'
