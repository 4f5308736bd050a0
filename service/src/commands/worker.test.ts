/** The worker as the engineer meets it: starting, health, metrics, several instances, killed, stopped, without its database. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../config.ts'
import { migrate } from '../migrate.ts'
import { addDoneOrders, archivedTimes } from '../testing/done-orders.ts'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually, startProcess, type LogLine, type Running } from '../testing/process.ts'
import { onlyLong } from '../testing/racing.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'
import { openDatabaseProxy } from '../testing/proxy.ts'
import { jobsOf } from '../worker/jobs.ts'

const orders = 5_000
const scheduleMs = 600_000 // Every ten minutes orders are archived unasked: no test of it begins shortly before.
const longestTestMs = 30_000

let service: TestService
let clients: TestClient[]
let workers: Running[] = []

before(async () => {
  service = await startService()
  await addFixtures(service)
  clients = await Promise.all(Array.from({ length: 20 }, () => addClient(service)))
})
after(() => service.close())

beforeEach(async () => {
  await service.sql(
    'truncate orders, order_items, order_history, events, adjustments; update clients set event_number = 0',
  )
  for (const [n, client] of clients.entries())
    await addDoneOrders(service, client, { orders: orders / clients.length, daysAgo: 200 - n })
  const untilSchedule = scheduleMs - (Date.now() % scheduleMs)
  if (untilSchedule < longestTestMs) await sleep(untilSchedule + 1_000)
})
afterEach(async () => {
  for (const { child } of workers) await ended(child, 'SIGKILL')
  workers = []
  await service.sql('delete from graphile_worker._private_jobs')
})

async function start(settings: Record<string, string> = {}): Promise<Running> {
  const worker = await startProcess('worker', {
    DATABASE_URL: service.databaseUrl,
    WORKER_PORT: '0',
    WORKER_METRICS_PORT: '0',
    STATEMENT_TIMEOUT_MS: '60000',
    ...settings,
  })
  workers.push(worker)
  return worker
}

async function ended(child: Running['child'], signal: NodeJS.Signals): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined
  const exit = once(child, 'exit')
  child.kill(signal)
  return exit
}

/** What its schedule does, at once. */
const enqueue = (job = 'archive-orders'): Promise<unknown> => service.sql('select graphile_worker.add_job($1)', [job])

const archived = async (): Promise<number> =>
  Number((await service.sql('select count(order_archive_datetime) from orders'))[0]?.['count'])

const jobsEnded = ({ log }: Running, job = 'archive-orders'): LogLine[] =>
  log.filter((line) => line.msg === 'job ended' && line['job'] === job)

const statusOf = async ({ address }: Running, path: string): Promise<number> => (await fetch(address + path)).status

async function metricsOf({ metrics }: Running): Promise<(name: string) => number> {
  const text = await (await fetch(`${metrics}/metrics`)).text()
  return (name) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
}

const eachOnce = async (): Promise<void> => {
  assert.deepEqual(await archivedTimes(service), [{ archived: true, changes: 1, events: 1, orders }])
  await service.checkInvariants()
}

test('it works, says so, and counts what it does', async () => {
  const worker = await start()
  assert.equal(await statusOf(worker, '/healthz'), 200)
  await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await enqueue()
  await eventually(async () => jobsEnded(worker).length === 1)
  const [run] = jobsEnded(worker)
  assert.deepEqual([run?.['rows'], run?.['outcome']], [orders, 'done'])
  assert.deepEqual(await service.sql(`select distinct request_id from events where actor = 'worker'`), [
    { request_id: run?.['request_id'] },
  ])
  const value = await metricsOf(worker)
  assert.equal(value('parts_worker_job_rows_total{job="archive-orders"}'), orders)
  assert.equal(value('parts_worker_job_duration_seconds_count{job="archive-orders",outcome="done"}'), 1)
  assert.equal(value('parts_worker_waiting_jobs'), 0)
  assert.equal(value('parts_worker_oldest_waiting_job_seconds'), 0)
  assert(value('parts_statement_duration_seconds_count{statement="archive-orders",outcome="done"}') > orders / 500)
  await eachOnce()
})

test('a job that fails is counted, logged and repeated', async () => {
  const worker = await start()
  await service.sql('alter table events add constraint nothing_archived check (event_type <> $$order.archived$$)')
  await enqueue()
  await eventually(async () => jobsEnded(worker).length === 1)
  assert.equal(jobsEnded(worker)[0]?.['outcome'], 'failed')
  await eventually(async () => worker.log.some(({ level }) => level === 'error'))
  const said = worker.log.find(({ level }) => level === 'error')
  assert.match(String(said?.msg), /^Failed task \d+ \(archive-orders, .*, attempt 1 of 25\)/)
  assert.match(JSON.stringify(said?.['err']), /nothing_archived/)
  assert.equal(await archived(), 0)
  await service.sql('alter table events drop constraint nothing_archived')
  await eventually(async () => jobsEnded(worker).length === 2) // The second attempt comes after some three seconds.
  const value = await metricsOf(worker)
  assert.equal(value('parts_worker_job_duration_seconds_count{job="archive-orders",outcome="failed"}'), 1)
  await eachOnce()
})

test('waiting jobs are counted, and how long the oldest has been waiting', async () => {
  const worker = await start()
  await enqueue('a-job-of-a-newer-release')
  await service.sql(`update graphile_worker._private_jobs set run_at = now() - interval '90 seconds'`)
  const value = await metricsOf(worker)
  assert.equal(value('parts_worker_waiting_jobs'), 1)
  const oldest = value('parts_worker_oldest_waiting_job_seconds')
  assert(oldest >= 90 && oldest < 150, String(oldest))
})

test('several instances that start at once on a database without a queue all work', async () => {
  await service.sql('drop schema graphile_worker cascade')
  const three = await Promise.all([start(), start(), start(), migrate(service.databaseUrl, () => undefined)])
  for (const worker of three.slice(0, 3) as Running[])
    await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await enqueue()
  await eventually(async () => workers.some((worker) => jobsEnded(worker).length === 1))
  await eachOnce()
})

test('two instances share the work: each order is archived once, with one event', async () => {
  await Promise.all([start(), start()])
  const release = await holdRows(service.databaseUrl, 'select * from clients for update')
  for (let n = 0; n < 8; n++) await enqueue()
  await eventually(async () => (await waiting()) === 8) // Each instance has taken as many as it runs at once.
  await release()
  await eventually(async () => workers.flatMap((worker) => jobsEnded(worker)).length === 8)
  const shares = await Promise.all(
    workers.map(async (worker) => (await metricsOf(worker))('parts_worker_job_rows_total{job="archive-orders"}')),
  )
  assert.equal(
    shares.reduce((sum, share) => sum + share, 0),
    orders,
  )
  assert(Math.min(...shares) >= 2_000, shares.join(', '))
  await eachOnce()
})

test('killed in the midst of its work, it leaves nothing half done, and another one finishes it', async () => {
  const release = await holdMiddleClient()
  const victim = await start()
  await enqueue()
  await eventually(async () => (await waiting()) === 1)
  await ended(victim.child, 'SIGKILL')
  const before_ = await archived()
  assert(before_ > 0 && before_ < orders, String(before_))
  await service.checkInvariants()
  await release()
  const heir = await start()
  await enqueue() // As its schedule will within ten minutes.
  await eventually(async () => jobsEnded(heir).length === 1)
  await eachOnce()
})

test('on SIGTERM it finishes the batch under way, leaves the rest, and ends with 0', async () => {
  const release = await holdMiddleClient()
  const worker = await start()
  await enqueue()
  await eventually(async () => (await waiting()) === 1)
  const before_ = await archived()
  const exit = ended(worker.child, 'SIGTERM')
  await eventually(async () => worker.log.some(({ msg }) => msg === 'stopping'))
  await release()
  assert.deepEqual(await exit, [0, null])
  assert.equal(jobsEnded(worker)[0]?.['outcome'], 'cut_off')
  assert.equal(await archived(), before_ + 500)
  assert.deepEqual(await service.sql('select * from graphile_worker.jobs where locked_at is not null'), [])
  await service.checkInvariants()
})

test('a batch that outlasts the grace time is given up', async () => {
  const release = await holdMiddleClient()
  const worker = await start({ SHUTDOWN_GRACE_MS: '300' })
  await enqueue()
  await eventually(async () => (await waiting()) === 1)
  assert.deepEqual(await ended(worker.child, 'SIGTERM'), [1, null])
  assert(worker.log.some(({ msg }) => msg === 'work was still under way after the grace time'))
  await release()
  await service.checkInvariants()
})

test('cut off from its database amid a batch, it is alive but not ready, and goes on by itself once it is back', async () => {
  const wall = await openDatabaseProxy(service.databaseUrl)
  const worker = await start({ DATABASE_URL: wall.url })
  const release = await holdMiddleClient()
  await enqueue()
  await eventually(async () => (await waiting()) === 1)
  assert.equal(await statusOf(worker, '/readyz'), 200)
  wall.raise()
  assert.equal(await statusOf(worker, '/readyz'), 503)
  assert.equal(await statusOf(worker, '/healthz'), 200)
  assert(Number.isNaN((await metricsOf(worker))('parts_worker_waiting_jobs')))
  assert.doesNotMatch(JSON.stringify(worker.log), /secretKey|connectionParameters/)
  await eventually(async () => jobsEnded(worker).length === 1)
  assert.equal(jobsEnded(worker)[0]?.['outcome'], 'failed')
  await release()
  wall.lower()
  await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await enqueue() // As its schedule will within ten minutes.
  await eventually(async () => (await archived()) === orders)
  wall.close()
  await eachOnce()
})

test('started before its database, it waits for it', async () => {
  const wall = await openDatabaseProxy(service.databaseUrl)
  wall.raise()
  const worker = await start({ DATABASE_URL: wall.url })
  assert.equal(await statusOf(worker, '/readyz'), 503)
  wall.lower()
  await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  wall.close()
})

test(
  'each minute one of the instances, and only one, runs what is due then',
  { ...onlyLong, timeout: 150_000 },
  async () => {
    await Promise.all([start(), start()])
    await eventually(async () => workers.some((worker) => jobsEnded(worker, 'record-expired-keys').length > 0))
    await sleep(1_000)
    const known = await service.sql(
      'select identifier from graphile_worker._private_known_crontabs order by identifier',
    )
    const names = jobsOf(readConfig({ DATABASE_URL: service.databaseUrl })).map(({ name }) => name)
    assert.deepEqual(
      known.map(({ identifier }) => identifier),
      names.toSorted(),
    )
    assert.equal(workers.flatMap((worker) => jobsEnded(worker, 'record-expired-keys')).length, 1)
  },
)

/** The orders of the first clients come first, so that a run has done some of its work when it has to wait, and has some left. */
function holdMiddleClient(): Promise<() => Promise<void>> {
  const client = clients[10]
  assert(client)
  return holdRows(service.databaseUrl, `select * from clients where client_id = ${client.client_id} for update`)
}

/** How many statements wait for a lock. */
const waiting = async (): Promise<number> =>
  (await service.sql(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`))
    .length
