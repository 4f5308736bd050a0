/** The commands of passwords.md, run while clients send requests: no request fails, and the old password is worth nothing. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createCluster, withoutPrograms, type Cluster } from '../../../packages/pg-statements/src/testing-cluster.ts'
import { openDatabase } from '../../../apps/service/src/open-database.ts'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { addClient, addFixtures } from '../../../apps/service/src/testing/fixtures.ts'
import { openBalancer } from '../../../apps/service/src/testing/network/balancer.ts'
import { startProcess, type Running } from '../../../apps/service/src/testing/process.ts'
import { addRoles } from '../../../deploy/postgres/add-roles.ts'

const page = readFileSync(join(import.meta.dirname, 'passwords.md'), 'utf8')
const [turn, openRole = '', closeRole = '', leaked = '', another = '', ...others] = [
  ...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm),
].map(([, code = '']) => code)

let cluster: Cluster
let admin: string

before(async () => {
  if (withoutPrograms !== false) return
  cluster = await createCluster()
  await cluster.query(`create database parts template template0 encoding 'UTF8' locale 'C.UTF-8'`)
  admin = cluster.url.replace(/postgres$/, 'parts')
  addRoles(admin)
  const rules = 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n'
  writeFileSync(join(cluster.folder, 'data/pg_hba.conf'), rules)
  await cluster.query('select pg_reload_conf()')
})
after(() => cluster?.drop())

/** Without a terminal, \password reads from standard input. */
function run(code: string, variables: Record<string, string>, password = ''): void {
  const env = { PATH: process.env['PATH'], ADMIN: admin, ...variables }
  const args = ['--wait', 'bash', '--norc', '-euo', 'pipefail', '-c', code]
  execFileSync('setsid', args, { env, input: `${password}\n${password}\n`, stdio: ['pipe', 'ignore', 'ignore'] })
}

function urlOf(role: string, password: string): string {
  const url = new URL(admin)
  url.username = role
  url.password = password
  return url.href
}

async function connect(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.end()
}

test(
  'the API and the worker change to another password, and no request fails; the old one is refused',
  { skip: withoutPrograms },
  async () => {
    assert.equal(turn, 'FROM=parts_service TO=parts_service_b\n')
    assert.equal(others.length, 0)
    await using stack = new AsyncDisposableStack()
    run(another.replace('parts_reader', 'parts_owner'), {}, 'of the owner')
    await migrate(urlOf('parts_owner', 'of the owner'), () => undefined)
    const { key } = await addData()
    run(openRole, back, 'first')
    const balancer = await openBalancer()
    stack.defer(() => balancer.close())
    const running: Running[] = []
    stack.defer(() => running.forEach(({ child }) => child.kill('SIGKILL')))

    async function replaceProcesses(databaseUrl: string): Promise<void> {
      for (const [n, command] of ['api', 'api', 'worker'].entries()) {
        const next = await startProcess(command, { ...settings, DATABASE_URL: databaseUrl })
        const previous = running[n]
        running[n] = next
        if (command === 'api') await balancer.add(next.address)
        if (previous === undefined) continue
        const ended = once(previous.child, 'exit')
        previous.child.kill('SIGTERM')
        await ended
        balancer.remove(previous.address)
      }
    }
    await replaceProcesses(urlOf('parts_service', 'first'))

    const statuses = new Map<number, number>()
    const over = new AbortController()
    const clients = Array.from({ length: 4 }, async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        const answer = await fetch(`${balancer.url}/api/v1/carts/`, {
          method: n % 4 === 0 ? 'PUT' : 'GET',
          headers: { authorization: key, ...(n % 4 === 0 && { 'idempotency-key': 'one-cart' }) },
          ...(n % 4 === 0 && { body: new URLSearchParams({ name: 'Cart' }) }),
        })
        await answer.arrayBuffer()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        await sleep(20)
      }
    })
    try {
      run(openRole, there, 'second')
      await replaceProcesses(urlOf('parts_service_b', 'second'))
      run(closeRole, there)
      const using = await cluster.query(`select distinct usename from pg_stat_activity where usename like 'parts%'`)
      assert.deepEqual(using.rows, [{ usename: 'parts_service_b' }])
      await assert.rejects(connect(urlOf('parts_service', 'first')), refused)
    } finally {
      over.abort()
      await Promise.all(clients)
    }
    assert.deepEqual([...statuses.keys()], [200])
    assert.deepEqual(balancer.broken, [])
    assert.equal(balancer.refused(), 0)

    // And back, in a hurry: sessions end, and the old password is worth nothing.
    run(openRole, back, 'third')
    run(leaked, back)
    await connect(urlOf('parts_service', 'third'))
    await assert.rejects(connect(urlOf('parts_service_b', 'second')), refused)
  },
)

test('the other roles get a new password, and the old one is refused', { skip: withoutPrograms }, async () => {
  for (const role of ['parts_owner', 'parts_reader', 'parts_oncall', 'parts_monitor']) {
    const code = another.replace('parts_reader', role)
    run(code, {}, 'old')
    await connect(urlOf(role, 'old'))
    run(code, {}, 'new')
    await connect(urlOf(role, 'new'))
    await assert.rejects(connect(urlOf(role, 'old')), /password authentication failed/)
  }
})

const there = { FROM: 'parts_service', TO: 'parts_service_b' }
const back = { FROM: 'parts_service_b', TO: 'parts_service' }
const refused = /password authentication failed|not permitted to log in/

const settings = {
  PORT: '0',
  METRICS_PORT: '0',
  WORKER_PORT: '0',
  WORKER_METRICS_PORT: '0',
  RATE_LIMIT: 'off',
  SHED_AFTER_MS: 'off',
  STATEMENT_TIMEOUT_MS: '60000',
  LOG_LEVEL: 'info',
  SHUTDOWN_DELAY_MS: '2000', // Forty times the interval of the balancer's checks, since the machine may be busy.
}

async function addData(): Promise<{ key: string }> {
  const db = openDatabase({ url: admin, poolSize: 2, timeZone: 'UTC', statementTimeoutMs: 60_000 })
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  try {
    const sql = async (text: string, values?: unknown[]): Promise<Record<string, unknown>[]> =>
      (await client.query<Record<string, unknown>>(text, values)).rows
    await addFixtures({ sql })
    return await addClient({ db, sql })
  } finally {
    await client.end()
    await db.close()
  }
}
