import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepIdempotencyKeys } from './sweep-idempotency-keys.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const post = (path: string, json: object, idempotencyKey: string, key = operators.keys.admin): Promise<Answer> =>
  service.request('POST', `/operator/v1/${path}`, { key, json, headers: { 'idempotency-key': idempotencyKey } })

const client = {
  client_name: 'Lindner Car Service',
  contact_name: 'Marta Lindner',
  contract_name: 'Supply contract',
  price_list_id: 1,
  stock_ids: [1],
}

const countOf = async (table: string): Promise<number> =>
  Number((await service.sql(`select count(*) from ${table}`))[0]?.['count'])

test('32 concurrent requests with one key create one client, and get 32 equal answers with its contact and contract', async () => {
  const before = await countOf('clients')
  const answers = await Promise.all(Array.from({ length: 32 }, () => post('clients/', client, 'one')))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(await countOf('clients'), before + 1)
  const [first] = answers
  assert(first)
  const { client_id, contact_id, contract_id } = first.body.data
  const created = await operators.ok('GET', `/operator/v1/clients/${client_id}/`)
  assert.deepEqual([created.contacts[0].contact_id, created.contracts[0].contract_id], [contact_id, contract_id])
  await service.checkInvariants()
})

test('a retry gets the first answer even if the contract has changed since; another operator does not', async () => {
  const { client_id } = await addClient(service)
  const contract = { contract_name: 'Winter', price_list_id: 1, contract_limit: 0.125 }
  const first = await post(`clients/${client_id}/contracts/`, contract, 'winter')
  assert.equal(first.status, 200)
  const { contract_id } = first.body.data
  await operators.ok('PATCH', `/operator/v1/clients/${client_id}/contracts/${contract_id}/`, { contract_name: 'Ice' })
  assert.equal((await post(`clients/${client_id}/contracts/`, contract, 'winter')).text, first.text)
  const other = await makeOperators(service)
  const theirs = await post(`clients/${client_id}/contracts/`, contract, 'winter', other.keys.admin)
  assert.notEqual(theirs.body.data.contract_id, contract_id)
})

test('32 concurrent requests with one key issue one key, which is shown once and stored nowhere', async () => {
  const { client_id, contact_id } = await addClient(service)
  const before = await countOf('api_keys')
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => post(`clients/${client_id}/keys/`, { contact_id }, 'one-key')),
  )
  const [issued, ...others] = answers.toSorted((a, b) => a.status - b.status)
  assert.equal(issued?.status, 200)
  const { key_id, key } = issued.body.data
  for (const { status, body } of others)
    assert.deepEqual([status, body.errors[0]?.code, body.errors[0]?.details], [409, 'key_already_issued', { key_id }])
  assert.equal(await countOf('api_keys'), before + 1)
  const stored = await service.sql('select answer::text from operator_idempotency_keys')
  assert(!stored.some(({ answer }) => String(answer).includes(key)))
})

test('answers expire after 24 hours, and are deleted then', async () => {
  const { client_id } = await addClient(service)
  const add = (): Promise<Answer> => post(`clients/${client_id}/contacts/`, { contact_name: 'Paula Weber' }, 'paula')
  const first = await add()
  const age = (): Promise<unknown> =>
    service.sql(`update operator_idempotency_keys set created_at = now() - interval '24 hours'`)
  await age()
  const second = await add()
  assert.notEqual(second.text, first.text)
  assert.equal((await add()).text, second.text)
  await age()
  for await (const _ of sweepIdempotencyKeys(service.db));
  assert.equal(await countOf('operator_idempotency_keys'), 0)
})

/** An order of ten discs in `fulfilling`, and its line. */
async function assembledOrder(): Promise<{ order_id: number; order_item_id: number }> {
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 10 })
  const order_id = await shop.order(cart_id)
  for (const state_id of ['processing', 'fulfilling'])
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
  const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return { order_id, order_item_id }
}

/** Sends the request 16 times at once, and then again. All answers must be equal. */
async function sendOften(path: string, json: object, idempotencyKey: string): Promise<Answer> {
  const answers = await Promise.all(Array.from({ length: 16 }, () => post(path, json, idempotencyKey)))
  answers.push(await post(path, json, idempotencyKey))
  const [first] = answers
  assert(first)
  assert.equal(first.status, 200, first.text)
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  return first
}

test('a partial shipment that is repeated with one key ships once, also at the same time; with another key it ships again', async () => {
  const { order_id, order_item_id } = await assembledOrder()
  const path = `orders/${order_id}/shipments/`
  const part = { lines: [{ order_item_id, quantity: 4 }] }
  const { body } = await sendOften(path, part, 'truck')
  assert.deepEqual([body.data.shipments.length, body.data.items[0].order_item_shipped], [1, 4])
  const second = await post(path, part, 'second-truck')
  assert.deepEqual([second.body.data.shipments.length, second.body.data.items[0].order_item_shipped], [2, 8])
  const refused = await post(path, part, 'third-truck')
  assert.equal(refused.body.errors[0]?.code, 'quantity_not_open')
  assert.deepEqual((await post(path, part, 'truck')).body.data, second.body.data) // The order as it is now.
  await service.checkInvariants()
})

test('two different shipments with one key, at the same time: one is shipped, the other refused', async () => {
  const { order_id, order_item_id } = await assembledOrder()
  const quantities = Array.from({ length: 16 }, (_, n) => 1 + (n % 2))
  const answers = await Promise.all(
    quantities.map((quantity) =>
      post(`orders/${order_id}/shipments/`, { lines: [{ order_item_id, quantity }] }, 'van'),
    ),
  )
  const shown = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  const shipped = shown.items[0].order_item_shipped
  assert.equal(shown.shipments.length, 1)
  for (const [n, { status, body }] of answers.entries())
    assert.deepEqual(
      [status, body.errors?.[0]?.code],
      quantities[n] === shipped ? [200, undefined] : [409, 'idempotency_key_used'],
    )
  await service.checkInvariants()
})

test('returns, notes, added lines and counts that are repeated with one key are recorded once', async () => {
  const { order_id, order_item_id } = await assembledOrder()
  const orderPath = `orders/${order_id}/`
  await operators.ok('POST', `/operator/v1/${orderPath}shipments/`, { lines: [{ order_item_id, quantity: 5 }] })
  const goods = { lines: [{ order_item_id, quantity: 1 }], reason: 'Does not fit.', restock: true }
  const returned = await sendOften(`${orderPath}returns/`, goods, 'back')
  assert.equal(returned.body.data.returns.length, 1)

  for (const internal of [true, false])
    await sendOften(`${orderPath}notes/`, { text: 'Call before loading.', internal }, `note-${internal}`)
  const noted = await operators.ok('GET', `/operator/v1/${orderPath}`)
  assert.equal(noted.notes.length, 1)
  assert.equal(noted.order_history.filter(({ group }: { group: string }) => group === 'Note').length, 1)

  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const other = await shop.order(cart_id)
  const added = await sendOften(`orders/${other}/items/`, { item_id: 2, quantity: 2, reason: 'Forgotten.' }, 'line')
  assert.deepEqual([added.body.data.total_before, added.body.data.total_after], [10, 15])
  assert.equal((await shop.ok('GET', `/api/v1/orders/${other}/items/`)).length, 2)

  const plugs = await shop.createCart()
  await shop.add(plugs, { item_id: 3, quantity: 2 })
  const short = await shop.order(plugs)
  const counted = await sendOften('stock-levels/1/3/count/', { on_hand: 1, reason: 'Lost.' }, 'count')
  assert.deepEqual([counted.body.data.on_hand_before, counted.body.data.affected_orders[0].order_id], [5, short])
  const [log] = await service.sql(`select count(*)::integer from catalogue_changes where changed = 'stock-level'`)
  assert.equal(log?.['count'], 1)
  await service.checkInvariants()
})
