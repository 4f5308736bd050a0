import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { archiveOrders } from './archive-orders.ts'
import { openDatabase } from '../../open-database.ts'
import type { Database } from 'pg-statements/database.ts'
import { addDoneOrders, archivedTimes } from '../../testing/done-orders.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
})
after(() => service.close())

/** A complete run, as in the worker; returns the size of each batch. */
const archive = (db: Database = service.db): Promise<number[]> =>
  Array.fromAsync(archiveOrders(db, { after_days: 90, request_id: 'run-1' }))

/** Moves the order's last change back in time. */
const age = (order_id: number, ago: string): Promise<unknown> =>
  service.sql('update orders set order_update_datetime = now() - $2::interval where order_id = $1', [order_id, ago])

async function place(): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return shop.order(cart_id)
}

async function placeAndMove(...states: string[]): Promise<number> {
  const order_id = await place()
  for (const state_id of states)
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id, text: 'As requested.' })
  return order_id
}

const shown = (order_id: number): Promise<Record<string, unknown>> =>
  shopper(service, me).ok('GET', `/api/v1/orders/${order_id}/`)

test('an order is archived 90 days after completion or cancellation, not earlier and in no other state', async () => {
  const completed = await placeAndMove('processing', 'fulfilling', 'shipped', 'completed')
  const cancelled = await placeAndMove('canceled')
  const younger = await placeAndMove('canceled')
  const open = await Promise.all([
    place(),
    placeAndMove('processing'),
    placeAndMove('processing', 'fulfilling'),
    placeAndMove('processing', 'fulfilling', 'shipped'),
  ])
  const requested = await place()
  await shopper(service, me).ok('DELETE', `/api/v1/orders/${requested}/`)
  await age(completed, '90 days')
  await age(cancelled, '400 days')
  await age(younger, '89 days 23 hours 59 minutes')
  for (const order_id of [...open, requested]) await age(order_id, '400 days')
  const all = [completed, cancelled, younger, ...open, requested]
  const seen = await Promise.all(all.map(shown))
  const number = await eventNumber()

  assert.deepEqual(await archive(), [2])
  const [newCompleted, newCancelled, ...others] = await Promise.all(all.map(shown))
  assert.deepEqual(others, seen.slice(2))
  for (const [order, before_] of [
    [newCompleted, seen[0]],
    [newCancelled, seen[1]],
  ]) {
    assert(Math.abs(Date.parse(`${String(order?.['order_archive_datetime'])}Z`) - Date.now()) < 60_000)
    assert.deepEqual({ ...order, order_archive_datetime: null }, before_)
  }
  const events = await service.sql(
    'select event_number::integer - $2::integer as n, event_type, order_id::integer, actor, request_id from events where client_id = $1 and event_number > $2 order by event_number',
    [me.client_id, number],
  )
  const about = { event_type: 'order.archived', actor: 'worker', request_id: 'run-1' }
  assert.deepEqual(events, [
    { n: 1, ...about, order_id: completed },
    { n: 2, ...about, order_id: cancelled },
  ])

  assert.deepEqual(await archive(), [])
  assert.deepEqual(await Promise.all(all.slice(0, 2).map(shown)), [newCompleted, newCancelled])
  await service.checkInvariants()
})

test('archived orders are still listed for their client and for operators', async () => {
  const listed = async (orders: Promise<unknown>): Promise<number> =>
    ((await orders) as { order_archive_datetime: string | null }[]).filter((order) => order.order_archive_datetime)
      .length
  assert.equal(await listed(shopper(service, me).ok('GET', '/api/v1/orders/')), 2)
  assert.equal(await listed(operators.ok('GET', '/operator/v1/orders/')), 2)
})

test('an order locked by another transaction is left to the next run', async () => {
  const [held, free] = [await placeAndMove('canceled'), await placeAndMove('canceled')]
  for (const order_id of [held, free]) await age(order_id, '100 days')
  const release = await holdRows(service.databaseUrl, `select * from orders where order_id = ${held} for update`)
  assert.deepEqual(await archive(), [1])
  await release()
  assert.equal((await shown(held))['order_archive_datetime'], null)
  assert.deepEqual(await archive(), [1])
  assert.notEqual((await shown(held))['order_archive_datetime'], null)
  await service.checkInvariants()
})

test('two concurrent instances archive 5,000 orders of 40 active clients: each order once, with one event', async () => {
  const clients = await Promise.all(Array.from({ length: 40 }, () => addClient(service)))
  for (const client of clients) await addDoneOrders(service, client, { orders: 125 })
  const archivedBefore = await archivedOnce()
  const settings = { url: service.databaseUrl, poolSize: 2, timeZone: 'UTC', statementTimeoutMs: 60_000 }
  const instances = [openDatabase(settings), openDatabase(settings)]
  const done = new AbortController()
  const ordering = clients.slice(0, 8).map(async (client) => {
    const shop = shopper(service, client)
    const cart_id = await shop.createCart()
    for (let n = 0; n < 5 || !done.signal.aborted; n++) {
      await shop.add(cart_id, { item_id: 2, quantity: 1 })
      await shop.order(cart_id)
    }
  })
  const batches = (await Promise.all(instances.map(archive))).flat()
  done.abort()
  await Promise.all([...ordering, ...instances.map((db) => db.close())])

  assert.equal(
    batches.reduce((sum, batch) => sum + batch, 0),
    5_000,
  )
  assert(Math.max(...batches) <= 500)
  assert.equal(await archivedOnce(), archivedBefore + 5_000)
  await service.checkInvariants()
})

/** How many orders are archived. Each of them must have one event about it, and no other order any. */
async function archivedOnce(): Promise<number> {
  const counted = await archivedTimes(service)
  assert(counted.every(({ archived, events }) => events === Number(archived)))
  return Number(counted.find(({ archived }) => archived)?.['orders'])
}

const eventNumber = async (): Promise<number> =>
  Number(
    (await service.sql('select event_number from clients where client_id = $1', [me.client_id]))[0]?.['event_number'],
  )
