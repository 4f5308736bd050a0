/**
 * Point-in-time recovery with the real pgBackRest: load, back up, go on, destroy, restore to a moment, start. Nothing
 * that was acknowledged before the moment is missing. One moment; RESTORE_MOMENTS=10 tries ten. The seed is printed,
 * and RESTORE_SEED repeats its choices. The second test promotes a real standby.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createCluster, freePort, type Cluster } from '../../packages/pg-statements/src/testing-cluster.ts'
import { seededRandom } from '../../apps/service/campaigns/seeded-random.ts'
import { openMainDatabase } from '../../apps/service/src/commands/connection.ts'
import { readConfig } from '../../apps/service/src/config.ts'
import { invariantsSql } from '../../apps/service/src/invariants/check-invariants.ts'
import { migrate } from '../../apps/service/src/migrate.ts'
import { afterRestoreAt } from '../../apps/service/src/commands/after-restore.ts'
import { recogniseRestore } from '../../apps/service/src/restore/recognise-restore.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../apps/service/src/testing/fixtures.ts'
import { eventually, startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { formBody, type RequestOptions, type TestService } from '../../apps/service/src/testing/service.ts'

const moments = Number(process.env['RESTORE_MOMENTS'] ?? 1)
const ordersPerRound = 12
const seed = Number(process.env['RESTORE_SEED'] ?? Date.now() % 1_000_000)
const { random } = seededRandom(seed)

interface Acknowledged {
  readonly order_id: number
  readonly sentAt: number
  readonly answeredAt: number
}

let cluster: Cluster
let account: { uid: number; gid: number }
let configFile: string
let url: string

before(async () => {
  cluster = await createCluster({ unix_socket_directories: '/tmp', max_connections: '60' })
  const { uid, gid } = statSync(cluster.folder)
  account = { uid, gid }
  configFile = join(cluster.folder, 'pgbackrest.conf')
  const folder = (name: string): string => join(cluster.folder, name)
  writeFileSync(
    configFile,
    `[global]\nrepo1-path=${folder('repo')}\nlog-path=${folder('log')}\nlock-path=${folder('lock')}\nspool-path=${folder('spool')}\nlog-level-console=warn\nlog-level-file=off\nstart-fast=y\nrepo1-retention-full=2\ncompress-type=lz4\n[parts]\npg1-path=${folder('data')}\npg1-port=${cluster.port}\npg1-socket-path=/tmp\npg1-user=postgres\n`,
  )
  await cluster.set({
    unix_socket_directories: '/tmp',
    archive_mode: 'on',
    archive_command: `pgbackrest --config=${configFile} --stanza=parts archive-push %p`,
  })
  await cluster.stop()
  await cluster.start()
  await cluster.query(`create database parts template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  url = cluster.url.replace(/postgres$/, 'parts')
  await migrate(url, () => undefined)
})
after(() => cluster.drop())

function backrest(...args: string[]): void {
  execFileSync('pgbackrest', [`--config=${configFile}`, '--stanza=parts', ...args], { ...account, cwd: cluster.folder, stdio: ['ignore', 'ignore', 'inherit'] }) // prettier-ignore
}

const startApi = (): Promise<Running> =>
  startProcess('api', { DATABASE_URL: url, PORT: '0', METRICS_PORT: '0', RATE_LIMIT: 'off', SHED_AFTER_MS: 'off', SHUTDOWN_DELAY_MS: '0', STATEMENT_TIMEOUT_MS: '60000' }) // prettier-ignore

/** Runs `work` with an API process and the database beside it. */
async function serving<T>(work: (service: TestService) => Promise<T>): Promise<T> {
  const running = await startApi()
  const db = openMainDatabase(readConfig({ DATABASE_URL: url, STATEMENT_TIMEOUT_MS: '60000' }))
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const request = async (method: string, path: string, { key, form }: RequestOptions = {}) => {
    const answer = await fetch(running.address + path, {
      method,
      headers: { authorization: key ?? '', ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(form && { body: formBody(form) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: {}, text, body: JSON.parse(text) }
  }
  const sql = async (text: string, values?: unknown[]) => (await pool.query<Record<string, unknown>>(text, values)).rows
  try {
    return await work({ db, sql, request } as unknown as TestService)
  } finally {
    running.child.kill('SIGKILL')
    await db.close()
    await pool.end()
  }
}

async function placeOrders(service: TestService, me: TestClient): Promise<Acknowledged[]> {
  const shop = shopper(service, me)
  const placed: Acknowledged[] = []
  for (let n = 0; n < ordersPerRound; n++) {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 1 })
    const sentAt = Date.now()
    const order_id = await shop.order(cart_id)
    placed.push({ order_id, sentAt, answeredAt: Date.now() })
    await sleep(20) // The moments between two orders are the interesting ones.
  }
  return placed
}

async function restoreTo(moment: number): Promise<void> {
  await cluster.query('select pg_switch_wal()')
  await eventually(async () => {
    const { rows } = await cluster.query(
      `select count(*)::int as n from pg_ls_archive_statusdir() where name like '%.ready'`,
    )
    return (rows[0] as { n: number }).n === 0
  })
  await cluster.stop('SIGQUIT')
  rmSync(join(cluster.folder, 'data'), { recursive: true })
  execFileSync('install', ['-d', '-m', '700', join(cluster.folder, 'data')], account)
  backrest('restore', '--type=time', `--target=${new Date(moment).toISOString().replace('T', ' ').replace('Z', '+00')}`, '--target-action=promote') // prettier-ignore
  await cluster.start()
  await eventually(async () => {
    const { rows } = await cluster.query('select pg_is_in_recovery() as busy')
    return !(rows[0] as { busy: boolean }).busy
  })
}

test(`nothing acknowledged before the moment is missing after a restore to it (seed ${seed})`, async (t) => {
  let kept: Acknowledged[] = []
  const me = await serving(async (service) => {
    await addFixtures(service)
    const client = await addClient(service)
    backrest('stanza-create')
    backrest('backup', '--type=full')
    return client
  })
  for (let round = 0; round < moments; round++) {
    const placed = await serving((service) => placeOrders(service, me))
    const [first, last] = [placed[0], placed.at(-1)]
    assert(first !== undefined && last !== undefined)
    // A recovery target must be followed by a change: the last order.
    const moment = Math.floor(first.sentAt + random() * (last.sentAt - first.sentAt))
    await restoreTo(moment)

    await assert.rejects(startApi(), /The database was recovered to an earlier moment: run main\.ts after-restore/)
    assert.match((await afterRestoreAt(url, {})) ?? '', /^The database was recovered to an earlier moment/)
    const all = [...kept, ...placed]
    kept = all.filter(({ answeredAt }) => answeredAt <= moment)
    await serving(async (service) => {
      const stored = new Set((await service.sql('select order_id from orders')).map(({ order_id }) => Number(order_id)))
      assert.deepEqual(kept.filter(({ order_id }) => !stored.has(order_id)), []) // prettier-ignore
      assert.deepEqual(all.filter(({ order_id, sentAt }) => sentAt > moment && stored.has(order_id)), []) // prettier-ignore
      const acknowledged = kept.length
      kept = all.filter(({ order_id }) => stored.has(order_id))
      assert.deepEqual(await service.sql(invariantsSql.text), [])
      t.diagnostic(
        `moment ${round + 1}: ${acknowledged} of ${all.length} orders acknowledged before it, ${kept.length} found, no invariant broken`,
      )
      // A reader that had read everything starts again where the answer says, and meets the note of the restore.
      const read = (from: number) => service.request('GET', `/api/v1/events/?after=${from}`, { key: me.key })
      const refused = await read(ordersPerRound)
      assert.equal(refused.status, 410)
      const { first_event_number } = refused.body.errors[0]!.details as { first_event_number: number }
      const { body } = await read(first_event_number - 1)
      assert(body.data.some(({ event_type }: { event_type: string }) => event_type === 'service.restored'))
      const shop = shopper(service, me)
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 1 })
      const next = await shop.order(cart_id)
      assert(all.every(({ order_id }) => next > order_id))
    })
  }
})

test('a standby of the restored server stays one; promoted, it is served from without a word', async () => {
  const programs = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  const [data, port] = [join(cluster.folder, 'standby'), await freePort()]
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(`${programs}/${program}`, args, { ...account, cwd: cluster.folder, stdio: 'ignore' })
  await serving(async () => undefined) // Claims the database, if the other test has not.
  assert.notEqual((await cluster.query('show recovery_target_time')).rows[0]?.['recovery_target_time'], '')
  execFileSync('sh', ['-c', `psql -h /tmp -p ${cluster.port} ${forgetTarget()}`], { ...account, stdio: 'ignore' })
  run('pg_basebackup', '-d', `${cluster.url}?application_name=standby`, '-D', data, '-R', '-c', 'fast')
  run('pg_ctl', '-D', data, '-o', `-p ${port} -c archive_mode=off`, '-w', 'start')
  const standbyUrl = url.replace(`:${cluster.port}/`, `:${port}/`)
  try {
    await cluster.query('create table change_after_the_restore ()')
    await eventually(async () => (await stateOf(standbyUrl))['has_change'] === true)
    assert.deepEqual(await stateOf(standbyUrl), { has_change: true, is_standby: true })
    run('pg_ctl', '-D', data, '-w', 'promote')
    const db = openMainDatabase(readConfig({ DATABASE_URL: standbyUrl }))
    try {
      assert.equal(await recogniseRestore(db), undefined)
    } finally {
      await db.close()
    }
  } finally {
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
  }
})

/** The command of the page that forgets the target of the restore. */
function forgetTarget(): string {
  const page = readFileSync(new URL('../../docs/how-to/engineer/backup.md', import.meta.url), 'utf8')
  return /^ *psql (-d postgres .*)$/m.exec(page)?.[1] ?? assert.fail('The page has no such command.')
}

/** Whether it has received the change, and is still a standby. */
async function stateOf(standbyUrl: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: standbyUrl.replace(/parts$/, 'postgres') })
  await client.connect()
  const { rows } = await client.query(
    `select to_regclass('change_after_the_restore') is not null as has_change, pg_is_in_recovery() as is_standby`,
  )
  await client.end()
  return rows[0]
}
