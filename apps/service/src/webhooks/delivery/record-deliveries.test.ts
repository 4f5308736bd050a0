/** Reading for several endpoints with one statement, and recording their deliveries with one. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { makePendingEventsReader } from '../due/read-pending-events.ts'
import { makeDeliveryRecorder, type Delivery } from './record-deliveries.ts'
import { makeEndpoints, type TestEndpoint } from '../../testing/network/endpoints.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let statements: string[] = []

before(async () => {
  service = await startService()
})
afterEach(() => service.sql('truncate webhooks, webhook_deliveries, webhook_tests'))
after(() => service.close())

/** The service's database; `statements` has what was sent. */
function counted(): TestService['db'] {
  statements = []
  const rows: TestService['db']['rows'] = (statement, values) => {
    statements.push(statement.name)
    return service.db.rows(statement, values)
  }
  const row: TestService['db']['row'] = (statement, values) => {
    statements.push(statement.name)
    return service.db.row(statement, values)
  }
  return Object.assign(Object.create(service.db), { rows, row })
}

/** Of clients of their own, each with two events, leased by this test. */
async function leased(clients: number): Promise<TestEndpoint[]> {
  const endpoints = await makeEndpoints(service, { url: 'https://dealer.example/', clients, events: 2 })
  await service.sql(`update webhooks set lease = 'mine', leased_until = now() + interval '1 second'`)
  return endpoints
}

const accepted = ({ client_id, webhook_id }: TestEndpoint, event_number: number): Delivery => ({
  client_id,
  webhook_id,
  lease: 'mine',
  event_number,
  event_type: 'cart.marked',
  attempt: 1,
  status: 204,
  error: null,
  duration_ms: 7,
})

const positions = (): Promise<unknown> =>
  service.sql(
    `select delivered_event_number::integer as delivered, lease, leased_until > now() + interval '5 seconds' as extended
     from webhooks order by webhook_id`,
  )

const log = (): Promise<unknown> =>
  service.sql(
    `select webhook_id::integer, event_number::integer, event_type, attempt, status, error, duration_ms
     from webhook_deliveries order by webhook_id`,
  )

const logged = ({ webhook_id }: TestEndpoint, event_number: number): object => ({
  webhook_id,
  event_number,
  event_type: 'cart.marked',
  attempt: 1,
  status: 204,
  error: null,
  duration_ms: 7,
})

test('deliveries that end together are recorded with one statement, each with its position, lease and log', async () => {
  const [first, second, third] = await leased(3)
  assert(first && second && third)
  const recorder = makeDeliveryRecorder(counted(), 60_000)
  const skipped = { ...accepted(third, 2), event_type: '', attempt: 0, status: null, duration_ms: 0 }
  const recorded = await Promise.all([accepted(second, 2), accepted(first, 1), skipped].map(recorder.record))
  assert.deepEqual(
    recorded.map((row) => row?.still_leased),
    [false, true, false],
  )
  assert.deepEqual(statements, ['record-deliveries'])
  assert.deepEqual(await positions(), [
    { delivered: 1, lease: 'mine', extended: true },
    { delivered: 2, lease: null, extended: null },
    { delivered: 2, lease: null, extended: null },
  ])
  assert.deepEqual(await log(), [logged(first, 1), logged(second, 2)])
})

test('an endpoint whose lease is lost keeps its position; its delivery is logged, and the others are recorded', async () => {
  const [lost, other] = await leased(2)
  assert(lost && other)
  await service.sql(`update webhooks set lease = 'of another' where webhook_id = $1`, [lost.webhook_id])
  const recorder = makeDeliveryRecorder(counted(), 60_000)
  const recorded = await Promise.all([accepted(lost, 2), accepted(other, 2)].map(recorder.record))
  assert.deepEqual(
    recorded.map((row) => row?.still_leased),
    [undefined, false],
  )
  assert.deepEqual(await positions(), [
    { delivered: 0, lease: 'of another', extended: false },
    { delivered: 2, lease: null, extended: null },
  ])
  assert.deepEqual(await log(), [logged(lost, 2), logged(other, 2)])
})

test('an endpoint that is locked by a change delays only itself', async () => {
  const [locked, other, later] = await leased(3)
  assert(locked && other && later)
  const release = await holdRows(
    service.databaseUrl,
    `select from webhooks where webhook_id = ${locked.webhook_id} for update`,
  )
  const recorder = makeDeliveryRecorder(service.db, 60_000)
  const waiting = recorder.record(accepted(locked, 2))
  assert.deepEqual(
    { ...(await recorder.record(accepted(other, 2))) },
    { webhook_id: other.webhook_id, still_leased: false },
  )
  assert.deepEqual(
    { ...(await recorder.record(accepted(later, 2))) },
    { webhook_id: later.webhook_id, still_leased: false },
  )
  assert.deepEqual(await log(), [logged(other, 2), logged(later, 2)])
  await release()
  assert.equal((await waiting)?.still_leased, false)
  assert.deepEqual(await log(), [logged(locked, 2), logged(other, 2), logged(later, 2)])
})

test('events for several endpoints are read with one statement, and one that cannot be read stops only its own', async () => {
  const [first, second] = await leased(2)
  assert(first && second)
  const reader = makePendingEventsReader({ db: counted(), stateLabels: {} as never }) // No event here is about an order.
  const read = (): Promise<PromiseSettledResult<number[]>[]> =>
    Promise.allSettled(
      [
        { client_id: first.client_id, event_types: [], after_number: 0 },
        { client_id: second.client_id, event_types: ['cart.marked', 'none'], after_number: 1 },
        { client_id: second.client_id, event_types: ['none'], after_number: 0 },
      ].map(async (position) => (await reader.read(position)).events.map(({ event_number }) => event_number)),
    )
  const values = (results: PromiseSettledResult<number[]>[]): unknown =>
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.status))
  assert.deepEqual(values(await read()), [[1, 2], [2], []])
  assert.deepEqual(statements, ['read-pending-events'])
  await service.sql(
    `update events set event_type = 'adjustment.requested', data = '{"adjustment_id": "none"}', order_id = null
     where client_id = $1 and event_number = 1`,
    [first.client_id],
  )
  await service.sql(
    `update events set event_type = 'order.created', data = '{"history_count": "none"}'
     where client_id = $1 and event_number = 2`,
    [first.client_id],
  )
  assert.deepEqual(values(await read()), ['rejected', [2], []])
})
