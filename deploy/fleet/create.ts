/** From a name to a distributor that takes orders, and back. Each step can be repeated. */
import { execFile } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { issueOperatorKey } from '../../apps/service/src/keys/issue-operator-key.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { openDatabase } from '../../apps/service/src/open-database.ts'
import { createEmptyDatabase, databaseExists, dropDatabase, endLeftSessions, inDatabase, urlAs } from './database.ts'
import { findDistributor, forget, newDistributor, readDirectory, readDistributor, record, refuseName, settled, withLock, type Distributor } from './directory.ts' // prettier-ignore
import { FleetProblem, serverNamed, type Fleet } from './fleet-config.ts'
import { releaseHere } from './migrate-fleet.ts'
import { removeSettings, scrape, scrapeNoMore, startProcess, stopProcess, waitUntilReady } from './process.ts'
import { route } from './proxy.ts'
import { addOwnRoles, dropOwnRoles } from './roles.ts'

export interface Created {
  readonly host: string
  /** The key of an operator with the role admin. Shown once. */
  readonly firstKey: string
}

export async function createDistributor(
  fleet: Fleet,
  { name, host, server: serverName }: { readonly name: string; readonly host: string; readonly server: string },
): Promise<Created> {
  refuseName(name)
  const server = serverNamed(fleet, serverName)
  return withLock(fleet, name, async () => {
    fleet.step('directory')
    let distributor = await enter(fleet, { name, host, server: serverName })
    await endLeftSessions(server, distributor)
    fleet.step('database')
    await createEmptyDatabase(server, distributor)
    fleet.step('roles')
    await addOwnRoles(fleet, distributor)
    fleet.step('schema')
    await migrate(urlAs('owner', distributor, server), () => undefined)
    fleet.step('first key')
    if (distributor.firstKey === undefined)
      distributor = record(fleet, { ...distributor, firstKey: await issueFirstKey(fleet, distributor) })
    fleet.step('process')
    await startProcess(fleet, distributor, serverName, [serverName])
    await waitUntilReady(fleet, distributor, serverName)
    scrape(fleet, distributor)
    fleet.step('route')
    const { firstKey = '', ...rest } = distributor
    await route(fleet, record(fleet, { ...rest, firstKey, state: 'running', release: releaseHere() }))
    fleet.step('done')
    return { host, firstKey }
  })
}

/** After the key was printed. */
export function forgetFirstKey(fleet: Fleet, name: string): void {
  const { firstKey: _, ...rest } = readDistributor(fleet, name)
  record(fleet, rest)
}

/** Its entry of the directory: the one that an earlier run has made, or a new one. */
function enter(fleet: Fleet, { name, host, server }: Record<'name' | 'host' | 'server', string>): Promise<Distributor> {
  return withLock(
    fleet,
    'numbers and hosts',
    async () => {
      const found = findDistributor(fleet, name)
      const isOurs = found?.host === host && found.server === server
      if (found !== undefined && isOurs && (found.state === 'creating' || found.firstKey !== undefined)) return found
      if (found !== undefined) throw new FleetProblem(`The distributor ${name} exists already.`)
      const all = readDirectory(fleet)
      const other = all.find((one) => one.host === host)
      if (other !== undefined) throw new FleetProblem(`The host ${host} belongs to ${other.name}.`)
      if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(host)) throw new FleetProblem(`'${host}' is no host name.`)
      const taken = new Set(all.map(({ number }) => number))
      let number = 0
      while (taken.has(number)) number++
      return record(fleet, newDistributor(name, host, server, number))
    },
    { waits: true },
  )
}

/** Keys of an earlier run that was killed before it recorded them are known to nobody. */
async function issueFirstKey(fleet: Fleet, distributor: Distributor): Promise<string> {
  const server = serverNamed(fleet, distributor.server)
  await inDatabase(server, distributor, (client) =>
    client.query(`update operator_keys set revoked_at = now(), revoked_by = 'fleet', changed_at = now() where revoked_at is null`),
  ) // prettier-ignore
  const url = urlAs('service', distributor, server)
  const db = openDatabase({ url, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 10_000 })
  try {
    const issued = { operator_name: 'Fleet', role: 'admin', actor: 'the command line', request_id: '' } as const
    return (await issueOperatorKey(db, issued)).key
  } finally {
    await db.close()
  }
}

/** Requests get 503 until it is resumed. Its database stays. */
export function suspendDistributor(fleet: Fleet, name: string): Promise<void> {
  return withLock(fleet, name, async () => {
    const distributor = settled(readDistributor(fleet, name))
    fleet.step('route')
    await route(fleet, record(fleet, { ...distributor, state: 'suspended' }))
    fleet.step('process')
    await stopProcess(fleet, distributor, distributor.server)
    scrapeNoMore(fleet, distributor)
    fleet.step('done')
  })
}

export function resumeDistributor(fleet: Fleet, name: string): Promise<void> {
  return withLock(fleet, name, async () => {
    const distributor = settled(readDistributor(fleet, name))
    const { server } = distributor
    fleet.step('process')
    const servers = distributor.follower === undefined ? [server] : [server, distributor.follower]
    await startProcess(fleet, distributor, server, servers)
    await waitUntilReady(fleet, distributor, server)
    scrape(fleet, distributor)
    fleet.step('route')
    await route(fleet, record(fleet, { ...distributor, state: 'running' }))
    fleet.step('done')
  })
}

/** Returns the file with the export. */
export function deleteDistributor(fleet: Fleet, name: string): Promise<string> {
  return withLock(fleet, name, async () => {
    let distributor = readDistributor(fleet, name)
    if (distributor.state !== 'creating' && distributor.state !== 'deleting') distributor = settled(distributor)
    if (distributor.follower !== undefined)
      throw new FleetProblem(`${name} was moved: confirm the move first (fleet confirm ${name}).`)
    const serverName = distributor.server
    const server = serverNamed(fleet, serverName)
    await endLeftSessions(server, distributor)
    fleet.step('route')
    await route(fleet, record(fleet, { ...distributor, state: 'deleting' }))
    fleet.step('process')
    await stopProcess(fleet, distributor, serverName)
    scrapeNoMore(fleet, distributor)
    fleet.step('export')
    const file = await exportDatabase(fleet, distributor)
    fleet.step('database')
    await dropDatabase(server, distributor)
    fleet.step('roles')
    await dropOwnRoles(fleet, distributor, serverName)
    fleet.step('settings')
    await removeSettings(fleet, distributor, serverName)
    fleet.step('directory')
    forget(fleet, name)
    return file
  })
}

/** A custom-format dump, complete or not there. A database that an earlier run has dropped was exported by it. */
async function exportDatabase(fleet: Fleet, { name, server }: Distributor): Promise<string> {
  const { exports } = fleet.config
  mkdirSync(exports, { recursive: true, mode: 0o700 })
  const file = join(exports, `${name}.dump`)
  const { postgres } = serverNamed(fleet, server)
  if (!(await databaseExists(serverNamed(fleet, server), { name }))) return file
  const url = new URL(postgres)
  url.pathname = `/${name}`
  const next = `${file}.${process.pid}.next`
  await promisify(execFile)('pg_dump', ['-Fc', '-f', next, '-d', url.href])
  renameSync(next, file)
  return file
}
