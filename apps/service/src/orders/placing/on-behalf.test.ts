/** What an operator does for a client: an order on the phone, and an order from the client's cart. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { address, addFixtures, shownAddress } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { shortOf } from '../../testing/racing.ts'
import { orderInputFields } from '../order-input.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const ordersOf = ({ me }: OperatorWorld): string => `/operator/v1/clients/${me.client_id}/orders/`
const discs = { stock_id: 1, lines: [{ article: 'BN-280-V', quantity: 3 }], ...address }

const post = (path: string, json: object, idempotencyKey: string, key = operators.keys.admin): Promise<Answer> =>
  service.request('POST', path, { key, json, headers: { 'idempotency-key': idempotencyKey } })

const countOrders = async ({ me }: OperatorWorld): Promise<number> =>
  Number((await service.sql('select count(*) from orders where client_id = $1', [me.client_id]))[0]?.['count'])

for (const way of ['lines', 'a cart'] as const) {
  test(`the events of an order from ${way} name the operator and the client, and the client reads who ordered`, async () => {
    const world = await makeOperatorWorld(service, operators)
    const { me, shop } = world
    const fromCart = async (): Promise<object> => {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 3 })
      return { cart_group_key: await shop.groupKey(cart_id), ...address }
    }
    const { created_order_id } =
      way === 'lines'
        ? await operators.ok('POST', ordersOf(world), discs)
        : await operators.ok('POST', `${ordersOf(world)}from-cart/`, await fromCart())
    const log = await operators.ok('GET', `/operator/v1/log/?client_id=${me.client_id}&limit=1`)
    assert.equal(log[0].event_type, 'order.created')
    assert.match(log[0].actor, new RegExp(`^operator \\d+ key \\d+, Test admin, for client ${me.client_id}$`))

    const text = 'Ordered by the distributor for the client.'
    const events = await shop.ok('GET', '/api/v1/events/?after=0')
    const { event_type, order_id, data } = events.at(-1)
    assert.deepEqual(
      [event_type, order_id, data.order_history.map((entry: { text: string }) => entry.text)],
      ['order.created', created_order_id, [text]],
    )
    const shown = await shop.ok('GET', `/api/v1/orders/${created_order_id}/`)
    assert.deepEqual([shown.order_total, shown.order_contact_id], [30, me.contact_id])
    assert.equal(shown.order_history[0].text, text)
    await service.checkInvariants()
  })
}

test('every field of an order on the phone is stored with the order, in the column of its name', async () => {
  const input = Object.entries(orderInputFields).map(([name, { schema }]): [string, string] => [
    name,
    String([schema['examples']].flat()[0]),
  ])
  const order = { ...discs, ...Object.fromEntries(input) }
  const world = await makeOperatorWorld(service, operators)
  const { created_order_id } = await operators.ok('POST', ordersOf(world), order)
  const [row] = await service.sql('select * from orders where order_id = $1', [created_order_id])
  for (const [name, value] of input) assert.equal(row?.[name], value, name)
})

test('an order on the phone goes to an address that the client has saved, and not to one of another client', async () => {
  const world = await makeOperatorWorld(service, operators)
  const saved = { address_name: 'North', ...address, recipient: 'Jonas Weber', phone: '+49 30 1' }
  const { address_id } = await world.shop.ok('PUT', '/api/v1/addresses/', saved)
  const { stock_id, lines } = discs
  const json = { stock_id, lines, address_id, recipient: 'Eva Klein' }
  const { created_order_id } = await operators.ok('POST', ordersOf(world), json)
  const order = await world.shop.ok('GET', `/api/v1/orders/${created_order_id}/?include=address`)
  assert.deepEqual(order.address, { ...shownAddress, recipient: 'Eva Klein', phone: '+49 30 1' })
  const other = await makeOperatorWorld(service, operators)
  const refused = await service.request('POST', ordersOf(other), { key: operators.keys.decider, json })
  assert.equal(shortOf(refused), 'address_not_found')
  const part = await service.request('POST', ordersOf(world), {
    key: operators.keys.decider,
    json: { stock_id, lines, recipient: 'Eva Klein' },
  })
  assert.deepEqual(
    part.body.errors.map(({ code, field }) => `${code} ${field}`),
    ['zip', 'country_code', 'region_code', 'city', 'street', 'home'].map((field) => `field_missing ${field}`),
  )
  assert.equal(await countOrders(world), 1)
})

test('a dry run orders nothing and shows what the order then costs, and another total is refused', async () => {
  const world = await makeOperatorWorld(service, operators)
  const order = { ...discs, lines: [...discs.lines, { item_id: 2, quantity: 4 }] }
  const stored = await databaseDigest(service)
  const shown = await operators.ok('POST', ordersOf(world), { ...order, dry_run: true })
  assert.deepEqual([shown.dry_run, shown.created_order_id, shown.order_total], [true, null, 40])
  assert.deepEqual(await databaseDigest(service), stored)

  await service.sql('update prices set price = 2.6 where price_list_id = 1 and item_id = 2')
  const expected = { ...order, expected_total: shown.order_total }
  const refused = await service.request('POST', ordersOf(world), { key: operators.keys.decider, json: expected })
  assert.equal(shortOf(refused), 'order_total_differs')
  await service.sql('update prices set price = 2.5 where price_list_id = 1 and item_id = 2')
  const {
    dry_run: _,
    created_order_id,
    order_number,
    ...placed
  } = await operators.ok('POST', ordersOf(world), expected)
  assert.deepEqual({ ...shown, ...placed }, shown)
  const order_view = await operators.ok('GET', `/operator/v1/orders/${created_order_id}/`)
  assert.deepEqual([order_view.order_number, order_view.order_total], [order_number, 40])
  await service.checkInvariants()
})

test('32 concurrent requests with one key order once, and a retry gets the same answer when nothing is left', async () => {
  const world = await makeOperatorWorld(service, operators)
  const order = { ...discs, stock_id: 2, lines: [{ item_id: 2, quantity: 15 }] }
  const answers = await Promise.all(Array.from({ length: 32 }, () => post(ordersOf(world), order, 'phone')))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(await countOrders(world), 1)
  assert.equal(shortOf(await post(ordersOf(world), order, 'another')), 'out_of_stock')
  assert.equal((await post(ordersOf(world), order, 'phone')).text, answers[0]?.text)
  await service.checkInvariants()
})

test("an operator's Idempotency-Key is not the client's, nor another operator's", async () => {
  const world = await makeOperatorWorld(service, operators)
  const { me, shop } = world
  const path = `/operator/v1/clients/${me.client_id}/carts/`
  const form = { name: 'Monday' }
  await service.request('PUT', '/api/v1/carts/', { key: me.key, form, headers: { 'idempotency-key': 'monday' } })
  const first = await post(path, form, 'monday')
  assert.equal((await post(path, form, 'monday')).text, first.text)
  await post(path, form, 'monday', operators.keys.decider)
  assert.equal((await shop.ok('GET', '/api/v1/carts/')).length, 3)
})

test('lines are a list of items by id or article, with quantities and nothing else', async () => {
  const world = await makeOperatorWorld(service, operators)
  const good = { item_id: 1, quantity: 1 }
  for (const lines of [
    [],
    good,
    'BN-280-V',
    [good, {}],
    [good, null],
    [{ quantity: 1 }],
    [{ brand: 'Filterwerk', quantity: 1 }],
    [{ item_id: 1 }],
    [{ ...good, quantity: 0 }],
    [{ ...good, quantity: 1.5 }],
    [{ ...good, quantity: '1' }],
    [{ ...good, quantity: 1_000_001 }],
    [{ ...good, item_id: '1' }],
    [{ article: 7, quantity: 1 }],
    [{ article: ' ', quantity: 1 }],
    [{ article: 'a\u0000', quantity: 1 }],
    [{ ...good, article: null }],
    [{ ...good, colour: 'red' }],
    Array.from({ length: 1_001 }, () => good),
  ]) {
    const answer = await service.request('POST', ordersOf(world), {
      key: operators.keys.decider,
      json: { ...discs, lines },
    })
    assert.deepEqual(
      answer.body.errors.map(({ code, field }) => [code, field]),
      [['field_invalid', 'lines']],
      JSON.stringify(lines).slice(0, 60),
    )
  }
  assert.equal(await countOrders(world), 0)
})

test('an order without a contact is that of the first contact who is not erased', async () => {
  const world = await makeOperatorWorld(service, operators)
  const contacts = `/operator/v1/clients/${world.me.client_id}/contacts/`
  const { contact_id } = await operators.ok('POST', contacts, { contact_name: 'Eva Lind' })
  await operators.ok('POST', `${contacts}${world.me.contact_id}/erase/`)
  const contactOf = async (order_id: number): Promise<number> =>
    (await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_contact_id
  const preview = await operators.ok('POST', ordersOf(world), { ...discs, dry_run: true })
  assert.equal(preview.order_contact_id, contact_id)
  const { created_order_id } = await operators.ok('POST', ordersOf(world), discs)
  assert.equal(await contactOf(created_order_id), contact_id)
  await operators.ok('POST', `${contacts}${contact_id}/erase/`)
  const { created_order_id: last } = await operators.ok('POST', ordersOf(world), discs)
  assert.equal(await contactOf(last), world.me.contact_id)
  await service.checkInvariants()
})
