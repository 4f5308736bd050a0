import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, type Import } from '@parts-ordering/client/operator'
import { noProgress } from '../progress.ts'
import { followImport } from './follow-import.ts'

const unfinished = { import_id: 12, import_state: 'applying', rows_done: 1, rows: 3, finished_at: null } as Import
const finished: Import = { ...unfinished, finished_at: '2026-11-15 09:30:01' }

/** The service answers at these seconds and is not reached at any other. */
async function follow(answers: ReadonlyMap<number, Import>): Promise<{ found: Import | string; seconds: number }> {
  let ms = 0
  const readImport = () => {
    const answer = answers.get(ms / 1_000)
    if (answer === undefined) return Promise.reject(new ConnectionError('No answer'))
    ms += 1_000
    return Promise.resolve(answer)
  }
  const clock = { now: () => ms, sleep: async (pauseMs: number) => (ms += pauseMs) }
  const found = await followImport({ readImport }, unfinished, noProgress, clock).catch((error: Error) => error.name)
  return { found, seconds: ms / 1_000 }
}

test('an import is followed through outages of a minute, however many there are', async () => {
  const answers = new Map([59, 119, 179].map((second) => [second, unfinished]))
  assert.deepEqual(await follow(answers.set(239, finished)), { found: finished, seconds: 240 })
})

test('an outage of more than a minute ends the command', async () => {
  const { found, seconds } = await follow(new Map([[10, unfinished]]))
  assert.equal(found, 'ConnectionError')
  assert(seconds > 71 && seconds < 73, String(seconds))
})
