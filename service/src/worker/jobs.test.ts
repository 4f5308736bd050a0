import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { jobsOf } from './jobs.ts'

test('docs/worker.md lists every job with its schedule, and no other', () => {
  const page = readFileSync(new URL('../../../docs/worker.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([\w-]+)` \| `([^`]+)` \|/gm)].map(([, name, schedule]) => ({
    name,
    schedule,
  }))
  assert.deepEqual(
    listed,
    jobsOf({ archiveAfterDays: 90 }).map(({ name, schedule }) => ({ name, schedule })),
  )
})
