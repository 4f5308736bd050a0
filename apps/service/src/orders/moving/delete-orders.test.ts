/** ORDERS_KEPT_DAYS: orders are deleted some time after they were archived, and nothing of them is left. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import pg from 'pg'
import { eraseAddresses } from '../../clients/contacts/erase-addresses.ts'
import { expireEvents } from '../../events/expiry/expire-events.ts'
import { openDatabase } from '../../open-database.ts'
import { databaseDigest } from '../../testing/database-digest.ts'
import { addDoneOrders } from '../../testing/done-orders.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { archiveOrders } from './archive-orders.ts'
import { deleteOrders } from './delete-orders.ts'

let service: TestService
let operators: Operators
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
})
afterEach(() => service.checkInvariants())
after(() => service.close())

/** A complete run, as in the worker; returns the size of each batch. */
const run = (kept_days: number | null = 365, db = service.db): Promise<number[]> =>
  Array.fromAsync(deleteOrders(db, { kept_days }))

const act = (order_id: number, action: string, json: object) =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/${action}/`, json)

/** A cancelled order of two lines. */
async function cancelledOrder(): Promise<number> {
  const order_id = await place()
  await act(order_id, 'move', { state_id: 'canceled', text: 'Sold out.' })
  return order_id
}

async function place(): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  await shop.add(cart_id, { item_id: 2, quantity: 2 })
  return shop.order(cart_id)
}

/** A completed order with a row in every table of orders. */
async function fullOrder(): Promise<number> {
  const order_id = await place()
  const shop = shopper(service, me)
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  const { order_item_id } = line
  const { adjustment_id } = await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, {
    quantity: 2,
  })
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)
  await act(order_id, 'notes', { text: 'Called.', internal: true })
  const invoice = { kind: 'invoice', number: 'R-1', url: 'https://erp.example/' }
  await operators.ok('PUT', `/operator/v1/orders/${order_id}/documents/`, invoice)
  await operators.ok('PATCH', `/operator/v1/orders/${order_id}/metadata/`, { metadata: { erp: '1' } })
  for (const state_id of ['processing', 'fulfilling']) await act(order_id, 'move', { state_id })
  await act(order_id, 'shipments', { carrier: 'DHL', tracking: 'T-1' })
  await act(order_id, 'returns', { lines: [{ order_item_id, quantity: 1 }], reason: 'Bent.', restock: true })
  await act(order_id, 'move', { state_id: 'completed' })
  return order_id
}

/** Archives all that are done, and lets them have changed and been archived so long ago. */
async function archivedAgo(ago: string, ...orders: number[]): Promise<void> {
  await Array.fromAsync(archiveOrders(service.db, { after_days: 0, request_id: 'test' }))
  await service.sql(
    `update orders set order_archive_datetime = now() - $2::interval, order_update_datetime = now() - $2::interval
     where order_id = any($1)`,
    [`{${orders.join()}}`, ago],
  )
}

/** All events so far expire, and their tables are dropped. */
async function expire(): Promise<void> {
  await service.sql(`update events set event_datetime = now() - interval '91 days'`)
  await service.sql(`update orders set order_create_datetime = now() - interval '10 years'`)
  await Array.fromAsync(expireEvents(service.db, { kept_days: 90 }))
  assert.deepEqual(await service.sql('select 1 from events'), [])
}

/** How many rows each table has that is about orders. */
async function rowsOf(order_id: number): Promise<Record<string, number>> {
  const tables = await service.sql(
    `select table_name from information_schema.columns
     where table_schema = 'public' and column_name = 'order_id' and table_name <> 'events_before' and table_name in (
       select table_name from information_schema.tables where table_type = 'BASE TABLE') order by table_name`,
  )
  const counts = tables.map(({ table_name }) => `(select count(*)::int from ${String(table_name)} where order_id = $1) as "${String(table_name)}"`) // prettier-ignore
  const [row] = await service.sql(`select ${counts.join(', ')}`, [order_id])
  return row as Record<string, number>
}

const left = async (): Promise<number[]> =>
  (await service.sql('select order_id::int from orders where client_id = $1 order by 1', [me.client_id])).map(
    ({ order_id }) => Number(order_id),
  )

test('nothing is deleted unless a number of days is set', async () => {
  await archivedAgo('90 years', await fullOrder(), await cancelledOrder())
  await expire()
  const stored = await databaseDigest(service)
  assert.deepEqual(await run(null), [])
  assert.deepEqual(await databaseDigest(service), stored)
  assert.deepEqual(await run(36_500 / 2), [2])
})

test('nothing is left of an order that is due, in any table, and its client finds it no more', async () => {
  me = await addClient(service)
  const [order_id, kept] = [await fullOrder(), await fullOrder()]
  await operators.ok('POST', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`)
  await archivedAgo('365 days', order_id)
  await archivedAgo('364 days 23 hours 59 minutes', kept)
  await expire()
  const full = {
    adjustments: 1,
    events: 0,
    order_documents: 1,
    order_history: 7,
    order_item_changes: 1,
    order_items: 2,
    order_metadata: 1,
    order_notes: 1,
    order_return_lines: 1,
    order_returns: 1,
    orders: 1,
    orders_to_erase: 1,
    return_request_lines: 0,
    return_requests: 0,
    shipment_lines: 2,
    shipments: 1,
  }
  assert.deepEqual(await rowsOf(order_id), full)
  assert.deepEqual(await run(), [1])
  assert.deepEqual(await rowsOf(order_id), Object.fromEntries(Object.keys(full).map((table) => [table, 0])))
  assert.deepEqual(await rowsOf(kept), full)
  assert.deepEqual(await left(), [kept])
  const { status, body } = await service.request('GET', `/operator/v1/orders/${order_id}/`, {
    key: operators.keys.admin,
  })
  assert.deepEqual([status, body.errors[0]?.code], [404, 'order_not_found'])
  assert.deepEqual(await run(), [])
})

test('an order stays that is open, not archived, changed since, locked, or shown by events', async () => {
  me = await addClient(service)
  const [open, done, changed, locked, due] = [await place(), await cancelledOrder(), await fullOrder(), await cancelledOrder(), await cancelledOrder()] // prettier-ignore
  await archivedAgo('400 days', changed, locked, due)
  await service.sql('update orders set order_archive_datetime = null where order_id = $1', [done])
  await service.sql(`update orders set order_update_datetime = now() - interval '400 days' where order_id = any($1)`, [
    `{${open},${done}}`,
  ])
  const [line] = await shopper(service, me).ok('GET', `/api/v1/orders/${changed}/items/`)
  await act(changed, 'returns', { lines: [{ order_item_id: line.order_item_id, quantity: 1 }], reason: 'Bent.', restock: false }) // prettier-ignore
  const all = await left()
  assert.deepEqual(await run(), [0])
  assert.deepEqual(await left(), all)

  await expire()
  const release = await holdRows(service.databaseUrl, `select from orders where order_id = ${locked} for key share`)
  assert.deepEqual(await run(), [1])
  await release()
  assert.deepEqual(await left(), [open, done, changed, locked])
  assert.deepEqual(await run(), [1])
  assert.deepEqual(await left(), [open, done, changed])
})

test('a batch has at most 20 orders, and orders that must stay do not end the run; two workers delete each once', async () => {
  me = await addClient(service)
  await addDoneOrders(service, me, { orders: 1_150, daysAgo: 500 })
  await archivedAgo('400 days', ...(await left()))
  await expire()
  const [stays] = await left()
  await act(stays ?? 0, 'notes', { text: 'Dear client.', internal: false }) // An event about the first one.
  const settings = { url: service.databaseUrl, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 60_000 }
  const workers = [openDatabase(settings), openDatabase(settings)]
  const batches = await Promise.all(workers.map((db) => run(365, db)))
  await Promise.all(workers.map((db) => db.close()))
  assert(batches.flat().every((size) => size <= 20))
  assert(batches.every((sizes) => sizes.length > 1))
  assert.equal(
    batches.flat().reduce((sum, size) => sum + size),
    1_149,
  )
  assert.deepEqual(await left(), [stays])
})

test('orders are placed and moved while a batch has not ended; what needs one of its orders waits, and finds none', async () => {
  me = await addClient(service)
  const [due, open] = [await fullOrder(), await place()]
  await archivedAgo('400 days', due)
  await expire()
  const worker = new pg.Client({ connectionString: service.databaseUrl })
  await worker.connect()
  await worker.query(`begin; select from delete_orders(365, '-infinity', 0)`)
  await act(open, 'move', { state_id: 'processing' })
  const placed = await place()
  const note = service.request('POST', `/operator/v1/orders/${due}/notes/`, {
    key: operators.keys.admin,
    json: { text: 'Called.', internal: true },
  })
  assert.deepEqual(await left(), [due, open, placed])
  await worker.query('commit')
  await worker.end()
  assert.equal((await note).body.errors[0]?.code, 'order_not_found')
  assert.deepEqual(await left(), [open, placed])
})

test('an order that an erasure has listed while it was deleted is forgotten', async () => {
  me = await addClient(service)
  const order_id = await cancelledOrder()
  await archivedAgo('400 days', order_id)
  await expire()
  await run()
  await service.sql('insert into orders_to_erase (client_id, order_id) values ($1, $2)', [me.client_id, order_id])
  const erased = await Array.fromAsync(eraseAddresses(service.db, { after_days: 1 }))
  assert.equal(erased.length, 1)
  assert.equal((await rowsOf(order_id))['orders_to_erase'], 0)
})
