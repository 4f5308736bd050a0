/** Which of two servers takes the changes of a distributor. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inDatabase, inServer, oneValue } from './database.ts'
import type { Distributor } from './directory.ts'
import type { FleetServer } from './fleet-config.ts'

const changing = ['owner', 'service', 'service_b'] as const

const rolesOf = ({ name }: Distributor): string[] => changing.map((role) => `${name}_${role}`)

/** A process may connect, and then looks for the server that takes changes: here they are refused, also to the owner. */
export async function readOnly(distributor: Distributor, server: FleetServer): Promise<void> {
  const { name } = distributor
  await refuseChanges(distributor, server)
  await inServer(server, distributor, (client) =>
    client.query(`grant connect on database ${name} to ${name}_service, ${name}_service_b`),
  )
}

const refuseChanges = (distributor: Distributor, server: FleetServer): Promise<void> =>
  inServer(server, distributor, async (client) => {
    for (const role of rolesOf(distributor))
      await client.query(`alter role ${role} in database ${distributor.name} set default_transaction_read_only = on`)
  })

const drainMaxMs = 1_000

/** Lets requests in flight end, then closes the database to everything that changes it. */
export async function fence(distributor: Distributor, server: FleetServer): Promise<void> {
  const { name } = distributor
  const roles = rolesOf(distributor)
  await refuseChanges(distributor, server)
  await inServer(server, distributor, async (client) => {
    const active = `select count(*) from pg_stat_activity
      where datname = $1 and usename = any($2) and backend_xid is not null`
    const deadline = performance.now() + drainMaxMs
    while (Number(await oneValue(client, active, [name, roles])) > 0 && performance.now() < deadline) await sleep(10)
    await client.query(`revoke connect on database ${name} from ${roles.join(', ')}`)
    // Later sessions are refused. A process tries to open some all the time.
    const since = await oneValue<string>(client, 'select clock_timestamp()::text')
    const ended = `select count(pg_terminate_backend(pid)) from pg_stat_activity
      where datname = $1 and usename = any($2) and backend_start < $3`
    while (Number(await oneValue(client, ended, [name, roles, since])) > 0) await sleep(10)
  })
}

/** The database takes changes. */
export function unfence(distributor: Distributor, server: FleetServer): Promise<void> {
  const { name } = distributor
  return inServer(server, distributor, async (client) => {
    await client.query(`grant connect on database ${name} to ${rolesOf(distributor).join(', ')}`)
    await client.query(`grant temporary, create on database ${name} to ${name}_owner`)
    for (const role of rolesOf(distributor))
      await client.query(`alter role ${role} in database ${name} reset default_transaction_read_only`)
  })
}

/** Only its owner may change it: to take it over. */
export function openForOwner(distributor: Distributor, server: FleetServer): Promise<void> {
  const { name } = distributor
  return inServer(server, distributor, async (client) => {
    await client.query(`grant connect on database ${name} to ${name}_owner`)
    await client.query(`alter role ${name}_owner in database ${name} reset default_transaction_read_only`)
  })
}

/** Numbers that were given out are not replicated. None goes down. */
export async function copySequences(distributor: Distributor, from: FleetServer, to: FleetServer): Promise<void> {
  const values = await inDatabase(from, distributor, async (client) => {
    const { rows } = await client.query<{ sequence: string; last_value: string }>(
      `select format('%I.%I', schemaname, sequencename) as sequence, last_value
       from pg_sequences where last_value is not null`,
    )
    return rows
  })
  await inDatabase(to, distributor, async (client) => {
    await client.query(
      `select setval(v.sequence::regclass, greatest(v.last_value, coalesce(s.last_value, 0)))
       from unnest($1::text[], $2::bigint[]) v (sequence, last_value)
       join pg_sequences s on format('%I.%I', s.schemaname, s.sequencename) = v.sequence`,
      [values.map(({ sequence }) => sequence), values.map(({ last_value }) => last_value)],
    )
  })
}

/**
 * How many rows each table has; with `rows`, a sum over their texts too. Returns the names of tables that differ.
 * `database_identity` is left out: it says which server it is.
 */
export async function compare(
  distributor: Distributor,
  servers: readonly [FleetServer, FleetServer],
  how: 'counts' | 'rows',
): Promise<string[]> {
  const [one, other] = await Promise.all(servers.map((server) => contentsOf(distributor, server, how)))
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])
  return [...names].filter((name) => one?.[name] !== other?.[name])
}

async function contentsOf(distributor: Distributor, server: FleetServer, how: 'counts' | 'rows') {
  return inDatabase(server, distributor, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'database_identity'`,
    )
    const contents: Record<string, string> = {}
    const sum = how === 'rows' ? ', sum(hashtextextended(t::text, 0)::numeric)' : ''
    for (const { name } of rows)
      contents[name] = await oneValue<string>(client, `select concat_ws(' ', count(*)${sum}) from only public.${name} t`)
    return contents
  })
} // prettier-ignore
