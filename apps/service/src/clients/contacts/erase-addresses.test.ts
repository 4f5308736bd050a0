import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { eraseAddresses } from './erase-addresses.ts'
import { openDatabase } from '../../open-database.ts'
import { fieldsErased } from '../../orders/order-input.ts'
import { databaseDigest, rowsWith } from '../../testing/database-digest.ts'
import { addDoneOrders } from '../../testing/done-orders.ts'
import { addClient, addFixtures, address, byTheTests, shopper } from '../../testing/fixtures.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { issueClientKey } from '../../keys/issue-client-key.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld
let name: string // Of whom a test erases: it is searched for in the whole database.
let people = 0

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
beforeEach(async () => {
  world = await makeOperatorWorld(service, operators)
  name = `xaveria${++people}x` // With an end, so that 1 is not found in 10.
  await service.sql(`update orders_to_erase set look_at = 'infinity'`) // Those of other tests.
})
after(() => service.close())

/** A complete run, as in the worker; returns the size of each batch. */
const run = (after_days: number | null = 30, db = service.db): Promise<number[]> =>
  Array.fromAsync(eraseAddresses(db, { after_days }))

/** How often the text occurs in all rows of the database. */
async function mentions(text = name): Promise<number> {
  const rows = await rowsWith(service, new RegExp(text, 'i'))
  return rows.join('\n').toLowerCase().split(text.toLowerCase()).length - 1
}

/** The worker looks at each order now, and the last change of these was so long ago. */
async function later(ago: string, ...orders: number[]): Promise<void> {
  await service.sql('update orders_to_erase set look_at = now() where client_id = $1', [world.me.client_id])
  await service.sql('update orders set order_update_datetime = now() - $2::interval where order_id = any($1)', [
    `{${orders.join()}}`,
    ago,
  ])
}

const erase = (contact_id = world.me.contact_id): Promise<{ contact_name: string }> =>
  operators.ok('POST', `/operator/v1/clients/${world.me.client_id}/contacts/${contact_id}/erase/`)

const personalFields = [...fieldsErased('at once'), ...fieldsErased('when done')].filter(
  (name) => name !== 'region_code',
)

/** An order of these fields, with the name in each of them. */
const inputWith = (who: string): Record<string, string> => ({
  ...address,
  ...Object.fromEntries(personalFields.map((field) => [field, `${field} ${who}`])),
})

async function place(input: Record<string, string> = inputWith(name), key = world.me.key) {
  const shop = shopper(service, { key })
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  const form = { cart_group_key: await shop.groupKey(cart_id), ...input }
  const order_id: number = (await shop.ok('PUT', '/api/v1/orders/', form)).created_order_id
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return { order_id, form, order_item_id: line.order_item_id as number }
}

const act = (order_id: number, action: string, json: object) =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/${action}/`, json)
const read = (order_id: number) => operators.ok('GET', `/operator/v1/orders/${order_id}/`)

/** An order in `completed`, with the name in each text that people can write about it. */
async function completedOrder(who: string, key?: string) {
  const input = { ...inputWith(who), [`metadata[${who}]`]: who }
  const { order_id, form, order_item_id } = await place(input, key)
  const shop = shopper(service, { key: key ?? world.me.key })
  const adjusted = { quantity: 2, reason: `${who} miscounted.` }
  const { adjustment_id } = await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, adjusted)
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: `No, ${who}.` })
  await act(order_id, 'notes', { text: `${who} called.`, internal: true })
  await act(order_id, 'notes', { text: `Dear ${who}.`, internal: false })
  await act(order_id, 'hold', { reason: `${who} must pay.` })
  await act(order_id, 'release', {})
  for (const state_id of ['processing', 'fulfilling']) await act(order_id, 'move', { state_id, text: `For ${who}.` })
  for (const value of [who, `${who} again`])
    await operators.ok('PATCH', `/operator/v1/orders/${order_id}/metadata/`, { metadata: { [who]: value } })
  const { shipments } = await act(order_id, 'shipments', { carrier: `${who} himself`, tracking: `T-${who}` })
  const lines = [{ order_item_id, quantity: 1 }]
  for (const json of [{ instruction: `To ${who}.` }, { message: `Not by ${who}.` }]) {
    const request = { lines: JSON.stringify(lines), reason: `${who} returns it.` }
    const { return_request_id } = await shop.ok('PUT', `/api/v1/orders/${order_id}/return-requests/`, request)
    const decision = 'message' in json ? 'reject' : 'accept'
    await operators.ok('POST', `/operator/v1/return-requests/${return_request_id}/${decision}/`, json)
  }
  await act(order_id, 'returns', { lines, reason: `${who} did not like it.`, restock: true })
  await act(order_id, 'move', { state_id: 'completed', text: `Paid by ${who}.` })
  return { order_id, form, shipment_id: shipments[0].shipment_id as number }
}

const erasedAddress = {
  zip: '',
  country_code: 'DE',
  region_code: '',
  city: '',
  street: '',
  home: '',
  room: null,
  recipient: null,
  company: null,
  phone: null,
  email: null,
}

test('some days after it was completed, nothing that anybody wrote about the order of an erased contact is stored, and its facts are', async () => {
  const { client_id, key: otherKey } = world.me
  const contacts = `/operator/v1/clients/${client_id}/contacts/`
  const { contact_id } = await operators.ok('POST', contacts, {
    contact_name: name,
    contact_email: `${name}@example.com`,
  })
  const { key } = await issueClientKey(service.db, { client_id, contact_id, ...byTheTests })
  const { order_id, shipment_id } = await completedOrder(name, key)
  const others = await completedOrder('Yolanda', otherKey)
  const kept = await read(others.order_id)
  const before_ = await read(order_id)
  const yolandas = await mentions('Yolanda')
  await erase(contact_id)
  await later('29 days 23 hours 59 minutes', order_id, others.order_id)
  const stored = await mentions()
  await run()
  assert.equal(await mentions(), stored)
  assert.deepEqual((await read(order_id)).address, before_.address)

  await later('30 days', order_id, others.order_id)
  assert.deepEqual(await run(), [1])
  assert.equal(await mentions(), 0)
  assert.equal(await mentions('Yolanda'), yolandas)
  const { order_update_datetime } = kept
  assert.deepEqual({ ...(await read(others.order_id)), order_update_datetime }, kept)
  assert.deepEqual(await run(), [], 'There is nothing more to look at.')

  // What is shown of it.
  const blank = <T extends object>(rows: T[], ...fields: string[]): T[] =>
    rows.map((row) => ({ ...row, ...Object.fromEntries(fields.map((field) => [field, ''])) }))
  const shipments = before_.shipments.map((shipment: object) => ({ ...shipment, carrier: null, tracking: null }))
  const order = await read(order_id)
  assert.deepEqual(order, {
    ...before_,
    order_update_datetime: order.order_update_datetime,
    order_contact: { contact_id, contact_name: 'Erased contact', contact_email: null },
    address: erasedAddress,
    reference: null,
    comment: null,
    client_metadata: {},
    metadata: {},
    order_history: blank(before_.order_history, 'text'),
    notes: blank(before_.notes, 'note_text'),
    returns: blank(before_.returns, 'reason'),
    return_requests: before_.return_requests.map((request: object) => ({
      ...request,
      reason: '',
      instruction: null,
      canceled_message: null,
    })),
    shipments,
    adjustments: before_.adjustments.map((adjustment: { request: object }) => ({
      ...adjustment,
      adjustment_canceled_message: '',
      request: { ...adjustment.request, reason: null },
    })),
  })
  const shown = await shopper(service, { key: otherKey }).ok(
    'GET',
    `/api/v1/orders/${order_id}/?include=address,reference,shipments`,
  )
  assert.deepEqual(
    [shown.address, shown.reference, shown.comment, shown.shipments],
    [erasedAddress, null, null, shipments],
  )
  const slip = `/operator/v1/orders/${order_id}/shipments/${shipment_id}/slip/`
  assert.deepEqual((await operators.ok('GET', slip)).address, erasedAddress)
  const print = (accept: string, path: string) =>
    service.request('GET', path, { key: operators.keys.admin, headers: { accept } })
  assert.match((await print('text/html', slip)).text, /Erased contact<br \/>Address erased<br \/>DE/)
  const csv = await print('text/csv', `/operator/v1/orders/?client_id=${client_id}`)
  assert.equal(csv.status, 200)
  assert.match(csv.text, new RegExp(`\\b${order.order_number}\\b`))
  const events: { data: { order_id?: number; address?: object } }[] = await shopper(service, { key: otherKey }).ok(
    'GET',
    '/api/v1/events/?limit=100',
  )
  const addresses = events
    .filter(({ data }) => data.order_id === order_id && 'address' in data)
    .map(({ data }) => data.address)
  assert(addresses.length > 5)
  for (const one of addresses) assert.deepEqual(one, erasedAddress)
  for (const answer of [
    shown,
    csv.text,
    events,
    await operators.ok('GET', `/operator/v1/orders/?client_id=${client_id}`),
  ])
    assert(!JSON.stringify(answer).includes(name))
  await service.checkInvariants()
})

test('an order keeps its address until it is shipped, completed or cancelled, and as long as its cancellation can be undone', async () => {
  const states: Record<string, number> = {}
  const steps = ['processing', 'fulfilling', 'shipped', 'completed']
  for (const n of [0, 1, 2, 3, 4]) {
    const { order_id } = await place()
    for (const state_id of steps.slice(0, n)) await act(order_id, 'move', { state_id })
    states[steps[n - 1] ?? 'new'] = order_id
  }
  const requested = await place()
  await world.shop.ok('DELETE', `/api/v1/orders/${requested.order_id}/`)
  states['zayavka-na-otmen'] = requested.order_id
  const canceled = await place()
  await act(canceled.order_id, 'move', { state_id: 'canceled', text: 'Sold out.' })
  states['canceled'] = canceled.order_id
  await erase()
  const erased = async (): Promise<string[]> => {
    const rows = await service.sql(
      `select order_state_id from orders where client_id = $1 and street = '' order by order_state_id`,
      [world.me.client_id],
    )
    return rows.map(({ order_state_id }) => String(order_state_id))
  }
  await later('23 hours 59 minutes', ...Object.values(states))
  assert.deepEqual(await run(1), [7])
  assert.deepEqual(await erased(), [])
  await later('1 day', ...Object.values(states))
  assert.deepEqual(await run(1), [7])
  assert.deepEqual(await erased(), ['canceled', 'completed', 'shipped'])

  await act(states['new'] ?? 0, 'move', { state_id: 'canceled', text: 'Sold out.' })
  await later('1 day', states['new'] ?? 0)
  await run(1)
  assert.deepEqual(await erased(), ['canceled', 'canceled', 'completed', 'shipped'])
  await service.checkInvariants()
})

test('what is written about an old order of an erased contact is erased when the worker looks at it again', async () => {
  const { order_id } = await completedOrder(name)
  await erase()
  await later('30 days', order_id)
  await run()
  await act(order_id, 'notes', { text: `${name} called.`, internal: true })
  await act(order_id, 'notes', { text: `Dear ${name}`, internal: false })
  await service.sql(`update orders_to_erase set look_at = look_at - interval '29 days 23 hours' where client_id = $1`, [
    world.me.client_id,
  ])
  assert.deepEqual(await run(), [], 'It is looked at once in 30 days.')
  await service.sql(`update orders_to_erase set look_at = look_at - interval '1 hour' where client_id = $1`, [
    world.me.client_id,
  ])
  assert.deepEqual(await run(), [1])
  assert.equal(await mentions(), 0)
  await service.checkInvariants()
})

test('an order that is placed for an erased contact keeps no comment, and is erased when it is done', async () => {
  await erase()
  const ordered = await operators.ok('POST', `/operator/v1/clients/${world.me.client_id}/orders/`, {
    stock_id: 1,
    lines: [{ item_id: 1, quantity: 1 }],
    ...inputWith(name),
  })
  const order_id: number = ordered.created_order_id
  const { comment, address: stored } = await read(order_id)
  assert.deepEqual([comment, stored.street], [null, `street ${name}`])
  await act(order_id, 'move', { state_id: 'canceled', text: 'Sold out.' })
  await later('30 days', order_id)
  assert.deepEqual(await run(), [1])
  assert.equal(await mentions(), 0)
})

test('repeating the request that placed it names the order and restores nothing', async () => {
  const { order_id, form } = await completedOrder(name)
  const { client_id, contact_id } = world.me
  const repeat = () =>
    service.request('POST', `/operator/v1/clients/${client_id}/orders/from-cart/`, {
      key: operators.keys.admin,
      json: { ...inputWith(name), cart_group_key: form.cart_group_key, contact_id },
    })
  assert.equal((await repeat()).body.data.created_order_id, order_id)
  await erase()
  await later('30 days', order_id)
  await run()
  const stored = await databaseDigest(service)
  const { status, body } = await repeat()
  assert.deepEqual(
    [status, body.errors[0]?.code, body.errors[0]?.details],
    [409, 'cart_group_already_ordered', { order_id }],
  )
  assert.deepEqual(await databaseDigest(service), stored)
})

test('without the setting nothing is erased; set later, it applies to earlier erasures too', async () => {
  const { order_id } = await place()
  await act(order_id, 'move', { state_id: 'canceled', text: 'Sold out.' })
  await erase()
  await later('3650 days', order_id)
  const stored = await databaseDigest(service)
  assert.deepEqual(await run(null), [])
  assert.deepEqual(await databaseDigest(service), stored)
  assert.deepEqual(await run(3650), [1])
  assert.deepEqual((await read(order_id)).address, erasedAddress)
})

test('a batch leaves a locked order for the next day; two runs at once look at each order once', async () => {
  const me = await addClient(service)
  await addDoneOrders(service, me, { orders: 2_300 })
  await operators.ok('POST', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`)
  const [first] = await service.sql('select min(order_id)::integer as order_id from orders where client_id = $1', [
    me.client_id,
  ])
  const release = await holdRows(
    service.databaseUrl,
    `select from orders where order_id = ${String(first?.['order_id'])} for update`,
  )
  const settings = { url: service.databaseUrl, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 60_000 }
  const instances = [openDatabase(settings), openDatabase(settings)]
  const batches = (await Promise.all(instances.map((db) => run(30, db)))).flat()
  await Promise.all(instances.map((db) => db.close()))
  await release()
  assert.equal(
    batches.reduce((sum, size) => sum + size),
    2_300,
  )
  assert(batches.every((size) => size <= 500))
  const left = (): Promise<Record<string, unknown>[]> =>
    service.sql(`select count(*)::integer from orders where client_id = $1 and street <> ''`, [me.client_id])
  assert.deepEqual(await left(), [{ count: 1 }])
  await service.sql(`update orders_to_erase set look_at = look_at - interval '1 day' where client_id = $1`, [
    me.client_id,
  ])
  assert.deepEqual(await run(), [1])
  assert.deepEqual(await left(), [{ count: 0 }])
  await service.checkInvariants()
})
