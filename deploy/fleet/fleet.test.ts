/** Distributors are created, suspended, migrated and deleted by the command line's functions, on real servers. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { withoutPrograms } from 'pg-statements/testing-cluster.ts'
import { migrationsDir } from '../../apps/service/src/migrations/migration-files.ts'
import { createDistributor, deleteDistributor, resumeDistributor, suspendDistributor } from './create.ts'
import { urlAs, type OwnRole } from './database.ts'
import { readDirectory, readDistributor, withLock } from './directory.ts'
import { FleetProblem, serverNamed, type Fleet } from './fleet-config.ts'
import { migrateFleet, releaseHere } from './migrate-fleet.ts'
import { openTestFleet, type TestFleet } from './testing-fleet.ts'

const skip = withoutPrograms
let fleet: TestFleet
const keys: Record<string, string> = {}

before(async () => {
  if (skip === false) fleet = await openTestFleet()
})
after(() => fleet?.close())

class Killed extends Error {}

/** A fleet whose command ends at the beginning of that step. */
function killedAt(step: number): Fleet {
  let count = 0
  return {
    config: fleet.config,
    step: () => {
      if (count++ === step) throw new Killed()
    },
  }
}

/** Ends at each step in turn, until it is through. Returns how often it was ended. */
async function killedEverywhere(work: (fleet: Fleet) => Promise<unknown>): Promise<number> {
  for (let step = 0; ; step++)
    try {
      await work(killedAt(step))
      return step
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
}

const clientsOf = (host: string, name = host.split('.')[0] ?? ''): Promise<number> =>
  fleet.send(host, 'GET', '/operator/v1/clients/', keys[name]).then(({ status }) => status)

test('a command that ends at any step is continued by the next run, and two distributors take requests', { skip }, async () => {
  const acme = { name: 'acme', host: 'acme.example', server: 'a' }
  let created: { firstKey: string } | undefined
  const kills = await killedEverywhere(async (killed) => (created = await createDistributor(killed, acme)))
  assert.equal(kills, 8)
  keys['acme'] = created?.firstKey ?? ''
  keys['beta'] = (await createDistributor(fleet, { name: 'beta', host: 'beta.example', server: 'a' })).firstKey
  assert.equal(await clientsOf('acme.example'), 200)
  assert.equal(await clientsOf('beta.example'), 200)
  assert.deepEqual(
    readDirectory(fleet).map(({ name, state, server, number }) => [name, state, server, number]),
    [['acme', 'running', 'a', 0], ['beta', 'running', 'a', 1]],
  )
  // Only one key is valid, however often the command was run.
  const valid = await query('acme', 'service', 'select count(*)::int as n from operator_keys where revoked_at is null')
  assert.deepEqual(valid, [{ n: 1 }])
  assert.equal(statSync(join(fleet.config.directory, 'acme.json')).mode & 0o777, 0o600)
  assert.equal(statSync(join(serverNamed(fleet, 'a').settings, 'acme.env')).mode & 0o777, 0o600)
}) // prettier-ignore

test('a key of one distributor is unknown to another one, also on the same connection to the proxy', { skip }, async () => {
  for (let n = 0; n < 5; n++) {
    assert.equal(await clientsOf('acme.example', 'acme'), 200)
    assert.equal(await clientsOf('beta.example', 'acme'), 401)
    assert.equal(await clientsOf('beta.example', 'beta'), 200)
  }
  const { status, text } = await fleet.send('other.example', 'GET', '/healthz')
  assert.deepEqual([status, JSON.parse(text).errors[0].code], [404, 'route_not_found'])
}) // prettier-ignore

async function query(name: string, role: OwnRole, sql: string, at = name): Promise<object[]> {
  const distributor = readDistributor(fleet, name)
  const url = new URL(urlAs(role, distributor, serverNamed(fleet, distributor.server)))
  url.pathname = `/${at}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query<object>(sql)).rows
  } finally {
    await client.end()
  }
}

test('no role of a distributor may connect to the database of another one, or to those of the server, or act as another role', { skip }, async () => {
  for (const role of ['owner', 'service', 'reader'] as const) {
    assert.deepEqual(await query('acme', role, 'select 1 as n'), [{ n: 1 }])
    for (const other of ['beta', 'postgres', 'template1'])
      await assert.rejects(query('acme', role, 'select 1', other), { code: '42501' }, `${role} in ${other}`)
    for (const other of ['beta_owner', 'beta_service', 'beta_reader', 'postgres', 'parts_oncall', 'parts_monitor', 'pg_read_all_data'])
      await assert.rejects(query('acme', role, `set role ${other}`), { code: '42501' }, `${role} as ${other}`)
    for (const forbidden of [
      'create database more', 'create role more', 'alter role beta_service password null', 'drop database beta',
      `select pg_read_file('postgresql.conf')`, 'select * from pg_authid', 'alter system set work_mem = 1',
      'create extension dblink', `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'beta_service'`,
    ])
      await assert.rejects(query('acme', role, forbidden), { code: /^(?:42501|25006)$/ }, `${role}: ${forbidden}`)
  }
  // Another one's statements are hidden. Its own are shown to the owner, so that a migration can say who blocks it.
  const seen = `select distinct usename::text as name, query <> '<insufficient privilege>' as shown from pg_stat_activity
    where usename in ('acme_service', 'beta_service') order by 1`
  assert.deepEqual(await query('acme', 'owner', seen), [
    { name: 'acme_service', shown: true }, { name: 'beta_service', shown: false },
  ])
  await assert.rejects(query('acme', 'service', 'create table more (n int)'), { code: '42501' })
  await assert.rejects(query('acme', 'reader', 'insert into stocks default values'), { code: '25006' })
}) // prettier-ignore

test('a suspended distributor answers 503 with Retry-After, and goes on when it is resumed, also after kills', { skip }, async () => {
  await suspendDistributor(fleet, 'acme')
  await killedEverywhere((killed) => suspendDistributor(killed, 'acme'))
  const { status, headers, text } = await fleet.send('acme.example', 'GET', '/healthz')
  assert.deepEqual([status, headers['retry-after']], [503, '600'])
  assert.deepEqual(JSON.parse(text).errors, [{ code: 'overloaded', message: 'The service is suspended.' }])
  assert.equal(await clientsOf('beta.example'), 200)
  await killedEverywhere((killed) => resumeDistributor(killed, 'acme'))
  assert.equal(await clientsOf('acme.example'), 200)
}) // prettier-ignore

test('migrating begins with the canary, stops at the first failure, and goes on where it stopped', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-fleet-migrations-'))
  try {
    const next = join(folder, 'migrations')
    cpSync(migrationsDir, next, { recursive: true })
    cpSync(join(migrationsDir, '../src'), join(folder, 'src'), { recursive: true, filter: (file) => !file.endsWith('.ts') })
    writeFileSync(join(next, '9001_fleet.sql'), 'create table fleet_test (n integer primary key);\n')
    await query('beta', 'owner', 'create table fleet_test (n integer)') // The migration fails here.
    const migrated = (): Promise<string[]> => migrateFleet(fleet, { canary: 'acme', migrationsDir: next })
    const release = releaseHere(next)
    const releases = (): boolean[] => readDirectory(fleet).map((distributor) => distributor.release === release)
    await assert.rejects(migrated(), /beta was not migrated: .*fleet_test.* 1 were, and those after it were not touched/s)
    assert.deepEqual(releases(), [true, false])
    assert.equal(await clientsOf('beta.example'), 200)
    await query('beta', 'owner', 'drop table fleet_test')
    assert.deepEqual(await migrated(), ['beta'])
    assert.deepEqual(await migrated(), [])
    assert.deepEqual([await clientsOf('acme.example'), await clientsOf('beta.example')], [200, 200])
  } finally {
    rmSync(folder, { recursive: true })
  }
}) // prettier-ignore

test('what cannot be done is refused, and nothing changes', { skip }, async () => {
  const listed = JSON.stringify(readDirectory(fleet))
  const refused = async (work: () => Promise<unknown>, reason: RegExp): Promise<void> => {
    await assert.rejects(work, (error: Error) => error instanceof FleetProblem && reason.test(error.message))
  }
  const create = (name: string, host = 'new.example', server = 'a') => createDistributor(fleet, { name, host, server })
  await refused(() => create('acme'), /exists already/)
  await refused(() => create('gamma', 'beta.example'), /belongs to beta/)
  await refused(() => create('gamma', 'gamma.example', 'c'), /no server c: the servers are a, b/)
  for (const name of ['postgres', 'parts', 'pg_x', 'A', 'a', 'a-b', 'x'.repeat(31), 'a;drop'])
    await refused(async () => create(name), /cannot be the name/)
  await refused(() => create('gamma', 'a b'), /is no host name/)
  await refused(() => withLock(fleet, 'acme', () => suspendDistributor(fleet, 'acme')), /Another command is working on acme/)
  assert.equal(JSON.stringify(readDirectory(fleet)), listed)
}) // prettier-ignore

test('deleting leaves an export and nothing else, also after kills at each step', { skip }, async () => {
  let file = ''
  await killedEverywhere(async (killed) => (file = await deleteDistributor(killed, 'beta')))
  assert(statSync(file).size > 10_000)
  assert.equal((await fleet.send('beta.example', 'GET', '/healthz')).status, 404)
  assert.equal(await clientsOf('acme.example'), 200)
  assert.deepEqual(readDirectory(fleet).map(({ name }) => name), ['acme']) // prettier-ignore
  assert.equal(readFileSync(fleet.config.proxy.map, 'utf8').includes('beta'), false)
  const { rows } = await fleet.clusters.a.query(
    `select datname from pg_database where datname = 'beta' union all select rolname from pg_roles where rolname like 'beta%'`,
  )
  assert.deepEqual(rows, [])
  for (const left of [join(fleet.config.targets, 'beta.json'), join(serverNamed(fleet, 'a').settings, 'beta.env')])
    assert(!existsSync(left), left)
})

test('the proxy has the defaults of the proxy of one distributor, and answers 503 as the service does', () => {
  const [own, one] = ['haproxy.cfg', '../haproxy/haproxy.cfg'].map(
    (name) => /^defaults\n[^]*?(?=^frontend)/m.exec(readFileSync(join(import.meta.dirname, name), 'utf8'))?.[0],
  )
  assert.equal(own, one)
})

test('systemd accepts the unit, which is confined and limited as its page says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-fleet-unit-'))
  try {
    const units = join(folder, 'etc/systemd/system')
    cpSync(join(import.meta.dirname, 'parts@.service'), join(units, 'parts@.service'))
    cpSync(join(import.meta.dirname, '../systemd/hardening.conf'), join(units, 'parts@.service.d/hardening.conf'))
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=one', 'parts@acme.service'], {
      encoding: 'utf8', cwd: folder, env: { ...process.env, SYSTEMD_UNIT_PATH: `${units}:` },
    })
    const complaints = `${verified.stdout}${verified.stderr}`.split('\n').filter((line) => line.includes('parts@'))
    assert.deepEqual(complaints.filter((line) => !/node is not executable/.test(line)), [])
    const security = ['security', '--offline=true', '--no-pager', '--threshold=15', `--root=${folder}`, 'parts@acme.service']
    execFileSync('systemd-analyze', security, { stdio: 'ignore' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}) // prettier-ignore
