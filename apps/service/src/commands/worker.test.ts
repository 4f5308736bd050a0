/** The worker as a process: starting, health, metrics, several instances, being killed and stopped, no database. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addDoneOrders, archivedTimes } from '../testing/done-orders.ts'
import { holdRows } from '../testing/hold-rows.ts'
import { eventually, startProcess, type LogLine, type Running } from '../testing/process.ts'
import { onlyLong } from '../testing/racing.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'
import { openDatabaseProxy } from '../testing/network/proxy.ts'
import { jobsOf } from '../worker/jobs.ts'
import { makeSecretBox } from '../webhooks/secrets/secret-box.ts'

const orders = 2_000

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
  await service.sql('truncate orders, order_items, order_history, events cascade; update clients set event_number = 0')
  for (const [n, client] of clients.entries())
    await addDoneOrders(service, client, { orders: orders / clients.length, daysAgo: 200 - n })
  await service.sql('analyze') // As autovacuum would: without it the check of the invariants takes seconds.
})
afterEach(async () => {
  for (const { child } of workers) await ended(child, 'SIGKILL')
  workers = []
  await service.sql('truncate worker_jobs')
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

/** Makes archiving due now. It is also due every ten minutes, so a test may see one more run that finds nothing to do. */
async function makeDue(): Promise<void> {
  await eventually(
    async () =>
      (
        await service.sql(
          `update worker_jobs set next_run_at = now() where job_name = 'archive-orders' returning next_run_at`,
        )
      ).length === 1,
  )
}

const failuresOf = async (job: string): Promise<number> =>
  Number((await service.sql('select failures from worker_jobs where job_name = $1', [job]))[0]?.['failures'])

const archived = async (): Promise<number> =>
  Number((await service.sql('select count(order_archive_datetime) from orders'))[0]?.['count'])

const jobsEnded = ({ log }: Running, job = 'archive-orders'): LogLine[] =>
  log.filter((line) => line.msg === 'job ended' && line['job'] === job)

const runsWithRows = (worker: Running): LogLine[] => jobsEnded(worker).filter(({ rows }) => rows !== 0)

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
  assert.deepEqual(await archivedTimes(service), [{ archived: true, events: 1, orders }])
  await service.checkInvariants()
}

test('a worker is ready, runs a due job, and counts what it does', async () => {
  const worker = await start()
  assert.equal(await statusOf(worker, '/healthz'), 200)
  await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await makeDue()
  await eventually(async () => runsWithRows(worker).length > 0)
  const [run] = runsWithRows(worker)
  assert.deepEqual([run?.['rows'], run?.['outcome']], [orders, 'done'])
  assert.deepEqual(await service.sql(`select distinct request_id from events where actor = 'worker'`), [
    { request_id: run?.['request_id'] },
  ])
  const value = await metricsOf(worker)
  assert.equal(value('parts_worker_job_rows_total{job="archive-orders"}'), orders)
  assert(value('parts_worker_job_duration_seconds_count{job="archive-orders",outcome="done"}') >= 1)
  await eventually(async () => (await metricsOf(worker))('parts_worker_waiting_jobs') === 0)
  await eventually(async () => (await metricsOf(worker))('parts_worker_oldest_waiting_job_seconds') === 0)
  assert(value('parts_statement_duration_seconds_count{statement="archive-orders",outcome="done"}') > orders / 500)
  await eachOnce()
})

test('a job that fails is counted, logged and retried', async () => {
  const worker = await start()
  await service.sql('alter table events add constraint nothing_archived check (event_type <> $$order.archived$$)')
  try {
    await makeDue()
    await eventually(async () => worker.log.some(({ msg }) => msg === 'job failed'))
    const failure = worker.log.find(({ msg }) => msg === 'job failed')
    assert.deepEqual([failure?.['level'], failure?.['job']], ['error', 'archive-orders'])
    assert.match(JSON.stringify(failure?.['err']), /nothing_archived/)
    assert.equal(await archived(), 0)
    await eventually(async () => (await failuresOf('archive-orders')) >= 1) // Recorded after it is logged.
  } finally {
    await service.sql('alter table events drop constraint nothing_archived')
  }
  await eventually(async () => runsWithRows(worker).length === 1) // Retried after seconds, long before it is due.
  const failed = jobsEnded(worker).filter(({ outcome }) => outcome === 'failed')
  const value = await metricsOf(worker)
  assert.equal(value('parts_worker_job_duration_seconds_count{job="archive-orders",outcome="failed"}'), failed.length)
  await eventually(async () => (await failuresOf('archive-orders')) === 0)
  await eachOnce()
})

test('the metrics have the number of waiting jobs and how long the oldest has been due', async () => {
  const worker = await start()
  await service.sql(
    `insert into worker_jobs (job_name, next_run_at) values ('a-job-of-a-newer-release', now() - interval '90 minutes')`,
  )
  await eventually(async () => (await metricsOf(worker))('parts_worker_waiting_jobs') === 1)
  const oldest = (await metricsOf(worker))('parts_worker_oldest_waiting_job_seconds')
  assert(oldest >= 90 * 60 && oldest < 120 * 60, String(oldest))
})

test('several instances that start at once before the database is migrated all work once it is', async () => {
  await service.sql('alter table worker_jobs rename to worker_jobs_of_tomorrow')
  const three = await Promise.all([start(), start(), start()])
  for (const worker of three) {
    await eventually(async () => worker.log.some(({ msg }) => msg === 'cannot look for due jobs; retrying'))
    assert.equal(await statusOf(worker, '/readyz'), 503)
  }
  await service.sql('alter table worker_jobs_of_tomorrow rename to worker_jobs')
  for (const worker of three) await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await makeDue()
  await eventually(async () => three.some((worker) => runsWithRows(worker).length === 1))
  await eachOnce()
})

test('two instances share the work: each order is archived once, with one event', async () => {
  await Promise.all([start(), start()])
  const release = await holdRows(service.databaseUrl, 'select * from clients for update')
  await makeDue()
  await eventually(async () => (await waiting()) === 1)
  await makeDue() // The first instance is still busy with it, so the other one takes it.
  await eventually(async () => (await waiting()) === 2)
  await release()
  await eventually(async () => workers.every((worker) => runsWithRows(worker).length > 0))
  const shares = await Promise.all(
    workers.map(async (worker) => (await metricsOf(worker))('parts_worker_job_rows_total{job="archive-orders"}')),
  )
  assert.equal(
    shares.reduce((sum, share) => sum + share, 0),
    orders,
  )
  assert(Math.min(...shares) >= 500, shares.join(', ')) // Each held a batch of 500 while both waited.
  await eachOnce()
})

test('a worker that is killed leaves no batch half done, and another one finishes the work', async () => {
  const release = await holdMiddleClient()
  const victim = await start()
  await makeDue()
  await eventually(async () => (await waiting()) === 1)
  await ended(victim.child, 'SIGKILL')
  const before_ = await archived()
  assert(before_ > 0 && before_ < orders, String(before_))
  await service.checkInvariants()
  await release()
  const successor = await start()
  await makeDue() // As it is within ten minutes anyway.
  await eventually(async () => runsWithRows(successor).length === 1)
  await eachOnce()
})

test('on SIGTERM a worker finishes the batch in progress, leaves the rest, and exits with 0', async () => {
  const release = await holdMiddleClient()
  const worker = await start()
  await makeDue()
  await eventually(async () => (await waiting()) === 1)
  const before_ = await archived()
  const exit = ended(worker.child, 'SIGTERM')
  await eventually(async () => worker.log.some(({ msg }) => msg === 'stopping'))
  await release()
  assert.deepEqual(await exit, [0, null])
  assert.equal(jobsEnded(worker)[0]?.['outcome'], 'cut_off')
  assert.equal(await archived(), before_ + 500)
  assert.deepEqual(await service.sql('select * from worker_jobs where last_started_at > last_ended_at'), [])
  await service.checkInvariants()
})

test('a batch that takes longer than the grace time is abandoned', async () => {
  const release = await holdMiddleClient()
  const worker = await start({ SHUTDOWN_GRACE_MS: '300' })
  await makeDue()
  await eventually(async () => (await waiting()) === 1)
  assert.deepEqual(await ended(worker.child, 'SIGTERM'), [1, null])
  assert(worker.log.some(({ msg }) => msg === 'work was still in progress after the grace time'))
  await release()
  await service.checkInvariants()
})

test('a worker that loses its database during a batch is alive but not ready, and resumes when the database is back', async () => {
  const proxy = await openDatabaseProxy(service.databaseUrl)
  const worker = await start({ DATABASE_URL: proxy.url })
  const release = await holdMiddleClient()
  await makeDue()
  await eventually(async () => (await waiting()) === 1)
  assert.equal(await statusOf(worker, '/readyz'), 200)
  proxy.raise()
  assert.equal(await statusOf(worker, '/readyz'), 503)
  assert.equal(await statusOf(worker, '/healthz'), 200)
  assert(Number.isNaN((await metricsOf(worker))('parts_worker_waiting_jobs')))
  assert.doesNotMatch(JSON.stringify(worker.log), /secretKey|connectionParameters/)
  await eventually(async () => jobsEnded(worker).length > 0)
  assert.equal(jobsEnded(worker)[0]?.['outcome'], 'failed')
  await release()
  proxy.lower()
  await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await makeDue() // As it is within ten minutes anyway.
  await eventually(async () => (await archived()) === orders)
  proxy.close()
  await eachOnce()
})

test('a worker that starts before its database exits with a sentence, and works when it is started again', async () => {
  const proxy = await openDatabaseProxy(service.databaseUrl)
  proxy.raise()
  await assert.rejects(start({ DATABASE_URL: proxy.url }), /did not start: .*PostgreSQL.* DATABASE_URL/)
  proxy.lower()
  const worker = await start({ DATABASE_URL: proxy.url })
  await eventually(async () => (await statusOf(worker, '/readyz')) === 200)
  await ended(worker.child, 'SIGKILL')
  proxy.close()
})

test('every minute exactly one of the instances runs what is due', { ...onlyLong, timeout: 600_000 }, async () => {
  const startedAt = await minuteOfDatabase()
  await Promise.all([start(), start()])
  const runs = (): LogLine[] => workers.flatMap((worker) => jobsEnded(worker, 'record-expired-keys'))
  await eventually(async () => runs().length > 0)
  await sleep(3_000) // Both instances have looked again.
  const ran = runs().length
  assert(ran <= (await minuteOfDatabase()) - startedAt, `${ran} runs`)
  const known = await service.sql('select job_name from worker_jobs order by job_name')
  const days = { archiveAfterDays: 90, eraseAddressesAfterDays: null, eventsKeptDays: 90, auditDays: null }
  const settings = { ...days, ordersKeptDays: null, catalogueChangesKeptDays: null, importsKeptDays: 90 }
  const names = jobsOf({ importDb: service.db, ...settings, box: makeSecretBox([]) }).map(({ name }) => name)
  assert.deepEqual(
    known.map(({ job_name }) => job_name),
    names.toSorted(),
  )
})

const minuteOfDatabase = async (): Promise<number> =>
  Number((await service.sql(`select floor(extract(epoch from now()) / 60) as minute`))[0]?.['minute'])

/** The orders of the first clients are archived first: the run waits half-way, with some of its work done. */
function holdMiddleClient(): Promise<() => Promise<void>> {
  const client = clients[10]
  assert(client)
  return holdRows(service.databaseUrl, `select * from clients where client_id = ${client.client_id} for update`)
}

/** The number of batches that wait for a lock. */
const waiting = async (): Promise<number> =>
  (
    await service.sql(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like $1`,
      ['%archive_orders(%'],
    )
  ).length
