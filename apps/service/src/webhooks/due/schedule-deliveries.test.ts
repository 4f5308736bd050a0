import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DeliverySchedule,
  pickDeliveries,
  quickSlots,
  slotsMax,
  slotsPerClientMax,
  slowMs,
  slowSlots,
  type DeliveryTurn,
} from './schedule-deliveries.ts'

const now = 1_000_000

const queueOf = (count: number, { retry = false, client_id = 0 } = {}) =>
  Array.from({ length: count }, (_, n) => ({ webhook_id: n + 1, client_id: client_id || n + 1, retry }))

const turnsOf = (count: number, turn: Partial<DeliveryTurn> = {}): DeliveryTurn[] =>
  Array.from({ length: count }, (_, n) => ({
    client_id: -n - 1,
    slow: false,
    waitingSince: now,
    moreDue: false,
    ...turn,
  }))

const pick = (queue: ReturnType<typeof queueOf>, turns: DeliveryTurn[] = [], slow: number[] = []): number[] =>
  pickDeliveries({ queue, turns, slow: new Set(slow) }, now).map(({ webhook_id }) => webhook_id)

test('a hundred endpoints are claimed at a time, oldest first', () => {
  assert.deepEqual(
    pick(queueOf(500)),
    Array.from({ length: 100 }, (_, n) => n + 1),
  )
})

test('when all quick slots are taken, only slow endpoints are picked, and the other way round', () => {
  const queue = queueOf(4)
  assert.deepEqual(pick(queue, turnsOf(quickSlots), [2, 3]), [2, 3])
  assert.deepEqual(pick(queue, turnsOf(slowSlots, { slow: true }), [2, 3]), [1, 4])
  assert.deepEqual(pick(queueOf(2, { retry: true }), turnsOf(slowSlots, { slow: true })), [])
  assert.deepEqual(pick(queueOf(2, { retry: true }), turnsOf(slowSlots - 1, { slow: true })), [1])
})

test('an endpoint that has not answered for a second counts as slow and frees its quick slot', () => {
  assert.deepEqual(pick(queueOf(2), turnsOf(quickSlots, { waitingSince: now - slowMs })), [])
  assert.deepEqual(pick(queueOf(2), turnsOf(quickSlots, { waitingSince: now - slowMs - 1 })), [1, 2])
  assert.deepEqual(pick(queueOf(2), turnsOf(slotsMax - 1, { waitingSince: 0 })), [1])
})

test('a client gets ten slots, and its other endpoints do not delay those of others', () => {
  const mine = queueOf(20, { client_id: 7 })
  assert.deepEqual(pick(mine, turnsOf(slotsPerClientMax - 1, { client_id: 7 })), [1])
  const other = { webhook_id: 99, client_id: 8, retry: false }
  assert.deepEqual(pick([...mine, other]).slice(slotsPerClientMax - 1), [slotsPerClientMax, 99])
})

test('an endpoint has one turn at a time; an event found during its turn queues it again afterwards', () => {
  const schedule = new DeliverySchedule()
  const due = { webhook_id: 1, client_id: 7, retry: false }
  schedule.add([due, due])
  assert.deepEqual(schedule.take(), [due])
  schedule.add([due]) // While the claim is in progress.
  schedule.start({ ...due, attempts: 0 })
  assert.deepEqual([schedule.queued, schedule.inFlight], [0, 1])
  schedule.end(1, { eventsLeft: false })
  assert.deepEqual([schedule.take(), schedule.inFlight], [[due], 0])
  schedule.start({ ...due, attempts: 0 })
  schedule.end(1, { eventsLeft: false })
  assert.equal(schedule.queued, 0)
  schedule.start({ ...due, attempts: 0 })
  schedule.end(1, { eventsLeft: true })
  assert.equal(schedule.queued, 1)
})

test('an endpoint that accepted its last event slowly shares the slow slots until it is quick again', () => {
  const schedule = new DeliverySchedule()
  const retries = queueOf(slowSlots, { retry: true })
  schedule.add(retries)
  for (const webhook of schedule.take()) schedule.start({ ...webhook, attempts: 1 })
  const due = { webhook_id: 1_001, client_id: 1_001, retry: false }
  const claim = (): number => {
    schedule.add([due])
    return schedule.take().length
  }
  assert.equal(claim(), 1)
  schedule.start({ ...due, attempts: 0 })
  schedule.accepted(due.webhook_id, slowMs + 1)
  schedule.end(due.webhook_id, { eventsLeft: false })
  assert.equal(claim(), 0)
  schedule.accepted(due.webhook_id, slowMs)
  assert.equal(claim(), 1)
})
