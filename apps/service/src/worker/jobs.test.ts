import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { jobsOf, type Job } from './jobs.ts'
import { runJob } from './run-job.ts'
import { importConnections } from '../imports/import-runner.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../open-database.ts'
import { makeSecretBox } from '../webhooks/secrets/secret-box.ts'
import { createTestDatabase } from '../testing/database.ts'

const settings = {
  archiveAfterDays: 90,
  eraseAddressesAfterDays: 3650,
  eventsKeptDays: 90,
  auditDays: null,
  ordersKeptDays: null,
  catalogueChangesKeptDays: null,
  importsKeptDays: null,
  box: makeSecretBox([]),
}

test('docs/how-to/engineer/worker.md lists every job with its schedule, and no other', async (t) => {
  const page = readFileSync(new URL('../../../../docs/how-to/engineer/worker.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| ([^`|]+) \|/gm)].map(([, name, schedule]) => ({
    name,
    schedule,
  }))
  const importDb = openDatabase({ url: 'postgres://nowhere/none', timeZone: 'UTC', ...importConnections })
  t.after(() => importDb.close())
  assert.deepEqual(
    listed,
    jobsOf({ importDb, ...settings }).map((job) => ({ name: job.name, schedule: scheduleOf(job) })),
  )
})

function scheduleOf({ everyMinutes, offsetMinutes = 0 }: Job): string {
  if (everyMinutes === 1) return 'every minute'
  if (everyMinutes < 24 * 60) return `every ${everyMinutes} minutes`
  const twoDigits = (n: number): string => String(n).padStart(2, '0')
  return `daily at ${twoDigits(Math.floor(offsetMinutes / 60))}:${twoDigits(offsetMinutes % 60)}`
}

test('the schedule of every job divides a day into equal parts', async (t) => {
  const importDb = openDatabase({ url: 'postgres://nowhere/none', timeZone: 'UTC', ...importConnections })
  t.after(() => importDb.close())
  for (const { name, everyMinutes, offsetMinutes = 0 } of jobsOf({ importDb, ...settings })) {
    assert.equal((24 * 60) % everyMinutes, 0, name)
    assert(offsetMinutes >= 0 && offsetMinutes < everyMinutes, name)
  }
})

test('an import that a process left unfinished is finished, and one whose sender disconnected is dropped', async (t) => {
  const { url, query, drop } = await createTestDatabase()
  const db = openDatabase({ url, timeZone: 'UTC', ...importConnections })
  t.after(async () => {
    await db.close()
    await drop()
  })
  await query(
    `insert into imports (import_kind, mode, import_state, updated_at, actor, request_id) values
       ('items', 'all', 'applying', now() - interval '1 minute', 'left', 'test'),
       ('prices', 'all', 'receiving', now() - interval '2 hours', 'cut off', 'test'),
       ('prices', 'all', 'receiving', now(), 'sending', 'test')`,
  )
  const job = jobsOf({ importDb: db, ...settings }).find(({ name }) => name === 'finish-imports')
  assert(job)
  const log: string[] = []
  const logger = makeLogger('info', { write: (line) => void log.push(line) })
  await runJob(job, { db, logger, cutOff: new AbortController().signal })
  assert.deepEqual(await query('select actor, import_state from imports order by actor'), [
    { actor: 'left', import_state: 'done' },
    { actor: 'sending', import_state: 'receiving' },
  ])
  const { job: name, rows, outcome } = JSON.parse(log[0] ?? '') as Record<string, unknown>
  assert.deepEqual({ name, rows, outcome }, { name: 'finish-imports', rows: 2, outcome: 'done' })
})
