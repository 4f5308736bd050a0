/**
 * Each alert fires in a real fault: real processes, a real PostgreSQL and a real Prometheus with the rules of
 * `deploy/prometheus/alerts.yml`. The commands of the alert's page are run while it fires; where the page's mitigation
 * ends the fault, nothing else does. The service has the role `parts_service`, and who follows a page `parts_oncall`.
 * The alerts about PostgreSQL itself are in postgres-faults.ts.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { addRoles, as } from '../../../../deploy/postgres/add-roles.ts'
import { rows as dashboardRows } from '../../../../deploy/grafana/dashboard.ts'
import {
  address,
  addClient,
  addFixtures,
  shopper,
  type TestClient,
} from '../../../../apps/service/src/testing/fixtures.ts'
import { eventually, startProcess, type Running } from '../../../../apps/service/src/testing/process.ts'
import { openDatabaseProxy, type DatabaseProxy } from '../../../../apps/service/src/testing/network/proxy.ts'
import { startReceiver, type Receiver } from '../../../../apps/service/src/testing/network/receiver.ts'
import { startService, type TestService } from '../../../../apps/service/src/testing/service.ts'
import { pagesOf, root, runSection, startPrometheus, type FaultPrometheus } from './fault-prometheus.ts'

const clientCount = 8
const lateAfterMs = 31_000 // The objective of webhooks is 30 seconds.

let dir: string
let service: TestService
let proxy: DatabaseProxy
let receiver: Receiver
let api: Running
let smallApi: Running // Refuses requests at a tiny queue, so that a few clients overload it.
let worker: Running
let prometheus: FaultPrometheus
let clients: TestClient[]
let hooked: TestClient // Has an endpoint.
let forgottenAt: number
const ran = new Set<string>()

before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'parts-faults-'))
  service = await startService({
    through: async (databaseUrl) => {
      addRoles(databaseUrl)
      return as('parts_service', databaseUrl)
    },
  })
  await addFixtures(service)
  clients = await Promise.all(
    Array.from({ length: clientCount }, (_, n) => addClient(service, { name: `Dealer ${n}` })),
  )
  receiver = await startReceiver()
  proxy = await openDatabaseProxy(as('parts_service', service.databaseUrl))
  const settings = {
    DATABASE_URL: proxy.url,
    PORT: '0',
    METRICS_PORT: '0',
    WORKER_PORT: '0',
    WORKER_METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
  }
  ;[api, smallApi, worker] = await Promise.all([
    startProcess('api', { ...settings, SHED_AFTER_MS: 'off' }),
    startProcess('api', { ...settings, SHED_AFTER_MS: '2,60000,60000', POOL_SIZE: '2' }),
    startProcess('worker', settings),
  ])
  const hosts = (...processes: Running[]): string[] => processes.map(({ metrics }) => new URL(metrics).host)
  prometheus = await startPrometheus(dir, 'parts', [
    { job_name: 'parts-api', targets: hosts(api, smallApi) },
    { job_name: 'parts-worker', targets: hosts(worker) },
  ])
})
after(async () => {
  for (const { child } of [api, smallApi, worker]) {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  }
  prometheus.stop()
  proxy.close()
  receiver.close()
  await service.close()
  rmSync(dir, { recursive: true, force: true })
})

const fires = (alert: string): Promise<void> => prometheus.fires(alert)
const ends = (alert: string): Promise<void> => prometheus.ends(alert)

async function followPage(page: string, process: Running = api): Promise<void> {
  const log = join(dir, 'parts.log')
  const lines = [...process.log, ...worker.log].map((line) => JSON.stringify(line))
  writeFileSync(log, `${lines.join('\n')}\n`)
  const env = {
    PATH: globalThis.process.env['PATH'],
    DATABASE_URL: as('parts_oncall', service.databaseUrl),
    DATABASE_URL_OF_SERVICE: as('parts_service', service.databaseUrl),
    API: process.address,
    METRICS_OF_API: `${process.metrics}/metrics`,
    METRICS_OF_WORKER: `${worker.metrics}/metrics`,
    LOG: log,
  }
  for (const section of ['Diagnosis', 'Mitigation'] as const) await runSection(page, section, { env, cwd: root })
  ran.add(page)
}

/** Sends an order of a new cart; returns the status. */
async function order(client: TestClient, { address: at } = api): Promise<number> {
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  return send(at, client, new URLSearchParams({ cart_group_key: await shop.groupKey(cart_id), ...address }))
}

async function send(at: string, client: TestClient, form: URLSearchParams): Promise<number> {
  const headers = { authorization: client.key }
  const answer = await fetch(`${at}/api/v1/orders/`, { method: 'PUT', headers, body: form })
  await answer.arrayBuffer()
  return answer.status
}

const each = async (work: (client: TestClient) => Promise<unknown>): Promise<void> =>
  void (await Promise.all(clients.map(work)))

/** Repeats the work until the returned function is called, which waits for the last repetition. */
function keepDoing(work: () => Promise<unknown>): () => Promise<void> {
  const stopped = new AbortController()
  const doing = (async () => {
    while (!stopped.signal.aborted) await work()
  })()
  const stop = async (): Promise<void> => {
    stopped.abort()
    await doing
  }
  stops.push(stop)
  return stop
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop() // Also after a failure.
})

async function openSession(): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: as('parts_owner', service.databaseUrl) })
  session.on('error', () => undefined) // The page's mitigation ends it.
  await session.connect()
  return session
}

test('while all is well, no alert fires', async () => {
  await each((client) => order(client))
  await eventually(async () => (await prometheus.firing()).length === 0)
})

test('a worker that hangs: it is down, and no worker is left', async () => {
  hooked = await addClient(service)
  await service.sql(
    `insert into webhooks (client_id, url, secret, delivered_event_number)
     select client_id, $2, 'whsec_' || repeat('A', 32), event_number from clients where client_id = $1`,
    [hooked.client_id, receiver.url],
  )
  await service.sql('update clients set webhook_count = 1 where client_id = $1', [hooked.client_id])
  await order(hooked)
  await eventually(async () => receiver.received.length === 1) // It has delivered before,
  const recorded = `select from webhooks join clients using (client_id) where delivered_event_number = event_number`
  await eventually(async () => (await service.sql(recorded)).length === 1) // and does not deliver that again.
  worker.child.kill('SIGSTOP')
  await fires('PartsProcessDown')
  await followPage('process-down.md')
  await fires('PartsWorkerMissing')
  await followPage('worker-missing.md')
  worker.child.kill('SIGCONT')
  await ends('PartsWorkerMissing')
})

test('a forgotten session that holds a lock: statements are stuck, and orders slow; the page ends it', async () => {
  const session = await openSession()
  await session.query('begin; lock table orders in share mode')
  const placed = keepDoing(() => each((client) => order(client)))
  await fires('PartsStatementsStuck')
  await followPage('statements-stuck.md')
  await fires('PartsOrdersSlow')
  await placed()
  await followPage('orders-slow.md')
  await assert.rejects(session.query('select 1')) // The page has ended it.
  await ends('PartsStatementsStuck')
})

test('a constraint added by hand breaks orders: they fail, with internal errors', async () => {
  await service.sql('alter table orders add constraint by_hand check (order_id < 0) not valid')
  const failing = keepDoing(() => each((client) => order(client)))
  try {
    for (const [alert, page] of [
      ['PartsOrdersFailingFast', 'orders-failing-fast.md'],
      ['PartsOrdersFailingSlowly', 'orders-failing-slowly.md'],
      ['PartsInternalErrors', 'internal-errors.md'],
    ] as const) {
      await fires(alert)
      await followPage(page)
    }
  } finally {
    await failing()
    await service.sql('alter table orders drop constraint by_hand')
  }
})

let forgotten: pg.Client

test('a forgotten transaction begins: it hides events from the feed, and keeps an endpoint from being served', async () => {
  forgotten = await openSession()
  await forgotten.query('begin; select 1 from webhooks for update')
  forgottenAt = performance.now()
  assert.equal(await order(hooked), 200)
})

test('a program with a revoked key: many invalid keys', async () => {
  const { key } = clients[2] ?? assert.fail()
  const wrong = `${key.slice(0, -6)}xxxxxx`
  const guessing = keepDoing(async () => {
    await fetch(`${api.address}/api/v1/orders/`, { headers: { authorization: wrong } })
    await sleep(50)
  })
  await fires('PartsKeyGuessing')
  await followPage('key-guessing.md')
  await guessing()
})

test('all clients together overload an API process', async () => {
  const list = async ({ key }: TestClient): Promise<void> => {
    const answer = await fetch(`${smallApi.address}/api/v1/items/`, { headers: { authorization: key } })
    await answer.arrayBuffer()
  }
  const loading = keepDoing(() => Promise.all(Array.from({ length: 12 }, () => each(list))))
  await fires('PartsShedding')
  await followPage('shedding.md', smallApi)
  await loading()
})

test('half a minute later: the feed lags, the page ends the transaction, and webhooks were late', async () => {
  await sleep(Math.max(0, forgottenAt + lateAfterMs - performance.now()))
  await fires('PartsFeedLagging')
  assert.equal(receiver.received.length, 1)
  await followPage('feed-lagging.md')
  await assert.rejects(forgotten.query('select 1')) // The page has ended it.
  await fires('PartsWebhooksLate')
  await followPage('webhooks-late.md')
  assert.equal(receiver.received.length, 2)
  await ends('PartsFeedLagging')
})

test('a request that nobody decides', async () => {
  await service.sql(
    `update orders set order_state_id = 'zayavka-na-otmen', state_before_request = order_state_id,
       order_update_datetime = now() - interval '25 hours'
     where order_id = (select max(order_id) from orders)`,
  )
  await fires('PartsRequestsWaiting')
  await followPage('requests-waiting.md')
})

test('a table that a job needs is missing: the job fails', async () => {
  await service.sql('alter table idempotency_keys rename to somewhere_else')
  const due = `update worker_jobs set next_run_at = now() where job_name = 'sweep-idempotency-keys'`
  const failing = keepDoing(async () => {
    await service.sql(due)
    await sleep(500)
  })
  await fires('PartsJobsNotDone')
  await followPage('jobs-not-done.md')
  await failing()
  await service.sql('alter table somewhere_else rename to idempotency_keys')
})

test('PostgreSQL cannot be reached: the database is unavailable, and then it is back without a restart', async () => {
  const asking = keepDoing(async () => {
    await fetch(`${api.address}/api/v1/carts/`, { headers: { authorization: clients[0]?.key ?? '' } })
    await sleep(100)
  })
  proxy.raise()
  await fires('PartsDatabaseUnavailable')
  await followPage('database-unavailable.md')
  proxy.lower()
  await ends('PartsDatabaseUnavailable')
  await asking()
})

test('every query of the dashboard is executed, and shows something where there is something to show', async () => {
  const { 'PostgreSQL itself': _, ...rows } = dashboardRows
  const empty = await prometheus.emptyQueries(Object.values(rows).flat())
  assert.deepEqual(
    empty.filter((legend) => !didNotHappen.includes(legend)),
    [],
  )
})

/** What this campaign does not cause: long polls and waiting readers, connections over the limit, traces, the proxy. */
const didNotHappen = ['late', '{{feed}}', '{{route}} {{status}}', 'connections {{limit}}', 'dropped {{reason}}', '{{exported_job}}', 'denied by the proxy', 'orders that no process could answer'] // prettier-ignore

test('the commands of every page were run in its fault', () => {
  assert.deepEqual([...ran].toSorted(), pagesOf('parts'))
})
