/** The database of a distributor follows itself on another server, by PostgreSQL's logical replication. */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { conninfoOf, databaseExists, inDatabase, inServer, oneValue } from './database.ts'
import type { Distributor } from './directory.ts'
import type { FleetServer } from './fleet-config.ts'

/** While there is a publication of this name, the service drops no expired events: it would change the schema. */
const publication = 'parts_move'
const subscription = 'parts_move'
const slotOf = ({ name }: Distributor): string => `parts_move_${name}`

const pollMs = 25

/** What another server needs to follow this one. */
export function publish(distributor: Distributor, server: FleetServer): Promise<void> {
  const { name, passwords } = distributor
  return inDatabase(server, distributor, async (client) => {
    if (!(await oneValue(client, 'select true from pg_roles where rolname = $1', [`${name}_move`])))
      await client.query(`create role ${name}_move`)
    await client.query(`alter role ${name}_move login replication password '${passwords.move}'`)
    await client.query(`grant pg_read_all_data to ${name}_move`)
    await client.query(`grant connect on database ${name} to ${name}_move`)
    if (!(await oneValue(client, 'select true from pg_publication where pubname = $1', [publication])))
      await client.query(`create publication ${publication} for all tables`)
  })
}

export function unpublish(distributor: Distributor, server: FleetServer): Promise<void> {
  return inDatabase(server, distributor, async (client) => {
    await client.query(`drop publication if exists ${publication}`)
    if (!(await oneValue(client, 'select true from pg_roles where rolname = $1', [`${distributor.name}_move`]))) return
    await client.query(`drop owned by ${distributor.name}_move`)
    await client.query(`drop role ${distributor.name}_move`)
  })
}

/** All or nothing. */
export async function copySchema(distributor: Distributor, from: FleetServer, to: FleetServer): Promise<void> {
  const url = new URL(from.postgres)
  url.pathname = `/${distributor.name}`
  await inDatabase(to, distributor, async (client) => {
    if (await oneValue(client, `select to_regclass('public.migrations') is not null`)) return
    const args = ['--schema-only', '--no-publications', '--no-subscriptions', '-d', url.href]
    const { stdout } = await promisify(execFile)('pg_dump', args, { maxBuffer: 1 << 28 })
    const schema = stdout.replaceAll(/^\\(?:un)?restrict .*$/gm, '').replace('CREATE SCHEMA public;', '')
    await client.query(`begin; ${schema}; commit`)
  })
}

/** Copies all rows, and goes on following. Returns when all is copied. */
export async function copyRows(distributor: Distributor, from: FleetServer, to: FleetServer): Promise<void> {
  await inDatabase(to, distributor, async (client) => {
    if (!(await oneValue(client, 'select true from pg_subscription where subname = $1', [subscription]))) {
      await dropSlot(distributor, from) // Of a run that was killed before it had the subscription.
      const options = `slot_name = '${slotOf(distributor)}'`
      await client.query(
        `create subscription ${subscription} connection '${conninfoOf(distributor, from)}' publication ${publication} with (${options})`,
      )
    }
    while (Number(await oneValue(client, `select count(*) from pg_subscription_rel where srsubstate <> 'r'`)) > 0)
      await sleep(200)
    await client.query('analyze')
  })
}

/** The slot from which another server will follow this one. It keeps WAL from now on. */
export function addSlot(distributor: Distributor, server: FleetServer): Promise<void> {
  return inDatabase(server, distributor, async (client) => {
    if (!(await hasSlot(client, distributor)))
      await client.query(`select pg_create_logical_replication_slot($1, 'pgoutput')`, [slotOf(distributor)])
  })
}

/**
 * `follower` has all that `server` has, and neither is changed: from here on it follows. Repeating it changes nothing, as
 * long as nothing has changed.
 */
export async function followFromNow(distributor: Distributor, follower: FleetServer, server: FleetServer): Promise<void> {
  if (await follows(distributor, follower)) return
  await addSlot(distributor, server)
  await inDatabase(server, distributor, async (client) => {
    await client.query('select pg_replication_slot_advance($1, pg_current_wal_flush_lsn())', [slotOf(distributor)])
  })
  const options = `slot_name = '${slotOf(distributor)}', create_slot = false, copy_data = false`
  await inDatabase(follower, distributor, async (client) => {
    await client.query(
      `create subscription ${subscription} connection '${conninfoOf(distributor, server)}' publication ${publication} with (${options})`,
    )
  })
} // prettier-ignore

export async function follows(distributor: Distributor, follower: FleetServer): Promise<boolean> {
  if (!(await databaseExists(follower, distributor))) return false
  return inDatabase(follower, distributor, async (client) =>
    Boolean(await oneValue(client, 'select true from pg_subscription where subname = $1', [subscription])),
  )
}

/** `follower` follows `server` no more. */
export async function stopFollowing(distributor: Distributor, follower: FleetServer, server: FleetServer): Promise<void> {
  if (await follows(distributor, follower))
    await inDatabase(follower, distributor, async (client) => {
      await client.query(`alter subscription ${subscription} disable`)
      await client.query(`alter subscription ${subscription} set (slot_name = none)`)
      await client.query(`drop subscription ${subscription}`)
    })
  await dropSlot(distributor, server)
} // prettier-ignore

/** Also one that is in use for a moment more, by a subscription that was dropped. */
function dropSlot(distributor: Distributor, server: FleetServer): Promise<void> {
  return inServer(server, distributor, async (client) => {
    const slot = slotOf(distributor)
    while (await hasSlot(client, distributor)) {
      await client.query(
        `select pg_terminate_backend(active_pid, 5000) from pg_replication_slots where slot_name = $1 and active`,
        [slot],
      )
      const dropped = await client.query('select pg_drop_replication_slot($1)', [slot]).catch((error: unknown) => {
        if ((error as { code?: string }).code !== '55006') throw error // It is in use again.
        return undefined
      })
      if (dropped === undefined) await sleep(pollMs)
    }
  })
}

const hasSlot = (client: Parameters<typeof oneValue>[0], distributor: Distributor): Promise<boolean | undefined> =>
  oneValue(client, 'select true from pg_replication_slots where slot_name = $1', [slotOf(distributor)])

/** Waits until the other server has received, and keeps, all that was committed on this one until now. */
export async function caughtUp(distributor: Distributor, server: FleetServer): Promise<void> {
  await inDatabase(server, distributor, async (client) => {
    await client.query(`select pg_logical_emit_message(true, 'parts_move', '')`) // Its commit flushes all before it.
    const end = await oneValue<string>(client, 'select pg_current_wal_flush_lsn()')
    const sql = 'select confirmed_flush_lsn >= $2 from pg_replication_slots where slot_name = $1'
    while (!(await oneValue(client, sql, [slotOf(distributor), end]))) await sleep(pollMs)
  })
}
