import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newlyDue } from './find-due-webhooks.ts'

const row = (webhook_id: number, event_number: number | null) => ({ client_id: 7, webhook_id, event_number })
const due = (webhook_id: number, retry = false) => ({ client_id: 7, webhook_id, retry })

test('an event that two polls return is due once; a newer one is due again', () => {
  const first = newlyDue([row(1, 5), row(2, 5)], new Map())
  assert.deepEqual(first.due, [due(1), due(2)])
  const second = newlyDue([row(1, 5), row(2, 6)], first.newest)
  assert.deepEqual(second.due, [due(2)])
  assert.deepEqual(newlyDue([row(1, 5), row(2, 6)], second.newest).due, [])
})

test('a retry is due at every poll that returns it', () => {
  const { due: found, newest } = newlyDue([row(1, null)], new Map([[1, 9]]))
  assert.deepEqual(found, [due(1, true)])
  assert.deepEqual(newlyDue([row(1, null)], newest).due, [due(1, true)])
})

test('only the endpoints of the latest poll are remembered', () => {
  let newest: ReadonlyMap<number, number> = new Map()
  for (let webhook_id = 1; webhook_id <= 10_000; webhook_id++) newest = newlyDue([row(webhook_id, 1)], newest).newest
  assert.deepEqual([...newest], [[10_000, 1]])
  assert.equal(newlyDue([{ client_id: null, webhook_id: null, event_number: null }], newest).newest.size, 0)
})
