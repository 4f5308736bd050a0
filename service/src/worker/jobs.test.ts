import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { jobsOf } from './jobs.ts'
import { runJob } from './run-job.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from 'pg-statements/database.ts'
import { createTestDatabase } from '../testing/database.ts'

const settings = { databaseUrl: '', timeZone: 'UTC', archiveAfterDays: 90, eventsKeptDays: 90 }

test('docs/how-to/engineer/worker.md lists every job with its schedule, and no other', () => {
  const page = readFileSync(new URL('../../../docs/how-to/engineer/worker.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([\w-]+)` \| `([^`]+)` \|/gm)].map(([, name, schedule]) => ({
    name,
    schedule,
  }))
  assert.deepEqual(
    listed,
    jobsOf(settings).map(({ name, schedule }) => ({ name, schedule })),
  )
})

test('an import that was left in the midst is finished, and one whose sender went away is dropped', async (t) => {
  const { url, query, drop } = await createTestDatabase()
  const db = openDatabase({ url, poolSize: 2, timeZone: 'UTC', statementTimeoutMs: 60_000 })
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
  const job = jobsOf({ ...settings, databaseUrl: url }).find(({ name }) => name === 'finish-imports')
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
