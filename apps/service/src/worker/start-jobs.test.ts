import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from './jobs.ts'
import { startJobs, type RunningJobs } from './start-jobs.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../open-database.ts'
import type { Database } from 'pg-statements/database.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { eventually } from '../testing/process.ts'

let database: TestDatabase
let db: Database
let instances: RunningJobs[] = []

before(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, poolSize: 4, timeZone: 'Europe/Berlin', statementTimeoutMs: 60_000 })
})
after(async () => {
  await db.close()
  await database.drop()
})
afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.stop()))
  instances = []
  await database.query('truncate worker_jobs')
})

const dayMinutes = 24 * 60
const farAway = (Math.floor(Date.now() / 60_000) + dayMinutes / 2) % dayMinutes // In twelve hours: not while this runs.

function startTwo(run: Job['run']): void {
  const jobs = [{ name: 'tick', everyMinutes: dayMinutes, offsetMinutes: farAway, run }]
  for (let n = 0; n < 2; n++) instances.push(startJobs({ db, jobs, logger: makeLogger('silent') }))
}

async function makeDue(): Promise<void> {
  await eventually(
    async () => (await database.query('update worker_jobs set next_run_at = now() returning job_name')).length > 0,
  )
}

test('each time that a job is due, exactly one of the instances runs it', async () => {
  let runs = 0
  startTwo(async function* () {
    runs++
    yield 1
  })
  for (let n = 1; n <= 5; n++) {
    await makeDue()
    await eventually(async () => runs >= n)
  }
  await sleep(3_000) // Both instances have looked again.
  assert.equal(runs, 5)
})

test('a job runs at multiples of its interval after midnight UTC, shifted by its offset', async () => {
  const never: Job['run'] = async function* () {}
  const jobs = [
    { name: 'every-10', everyMinutes: 10, run: never },
    { name: 'daily', everyMinutes: dayMinutes, offsetMinutes: 140, run: never },
  ]
  instances.push(startJobs({ db, jobs, logger: makeLogger('silent') }))
  await eventually(async () => (await database.query('select 1 from worker_jobs')).length === 2)
  const scheduled = await database.query(
    `select job_name, next_run_at > now() as ahead, extract(epoch from next_run_at)::integer % (case job_name when 'daily' then 86400 else 600 end) as past,
       next_run_at - now() <= case job_name when 'daily' then interval '24 hours' else interval '10 minutes' end as next
     from worker_jobs order by job_name`,
  )
  assert.deepEqual(scheduled, [
    { job_name: 'daily', ahead: true, past: 140 * 60, next: true },
    { job_name: 'every-10', ahead: true, past: 0, next: true },
  ])
})

test('a job that fails again and again is retried with longer pauses, and its failures count from 0 after a success', async () => {
  let failing = true
  let runs = 0
  startTwo(async function* () {
    runs++
    if (failing) throw new Error('not yet')
    yield 1
  })
  await makeDue()
  await eventually(async () => runs >= 2)
  const ended = `
    select failures, extract(epoch from next_run_at - last_ended_at)::integer as pause_seconds
    from worker_jobs where last_ended_at > last_started_at`
  let [job] = await database.query(ended)
  await eventually(async () => {
    job = (await database.query(ended))[0]
    return Number(job?.['failures']) >= 2
  })
  assert.equal(job?.['pause_seconds'], 2 ** Number(job?.['failures']))
  failing = false
  await eventually(async () => (await database.query(ended))[0]?.['failures'] === 0)
})

test('a run that is still in progress when its job is due again is not started twice by its instance', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const run: Job['run'] = async function* () {
    runs++
    await gate.promise
    yield 1
  }
  startTwo(run)
  await makeDue()
  await eventually(async () => runs === 1)
  await makeDue()
  await eventually(async () => runs === 2) // By the other instance.
  await makeDue()
  await sleep(3_000)
  assert.equal(runs, 2)
  gate.resolve()
  await eventually(async () => runs === 3) // One waiting run of a job is enough, and is not lost.
})
