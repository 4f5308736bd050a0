/** What an order shows on request, to operators and in events. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { orderIncludes } from '../order-details.ts'
import { exampleAddress, exampleRemarks } from '../order-input.ts'
import { historyMax } from '../order-actions.ts'
import { ordersWithLinesMax } from './read-orders.ts'
import { copyOrder } from '../../testing/copy-order.ts'
import { addFixtures, address } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { day } from '../../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService({ settings: { SHIPPING_DAYS_AHEAD_MAX: '30' } })
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const newWorld = (): Promise<OperatorWorld> => makeOperatorWorld(service, operators)

const destination = { ...address, ...exampleAddress, room: '3. OG, links' }
const remarks = { ...exampleRemarks, comment: 'Bitte vorher anrufen: "Tor 3"' }

/** An order of 3 discs and 2 filters under the limited contract, with everything that a client can say about it. */
async function placeInFull({ shop, me }: OperatorWorld): Promise<number> {
  const cart_id = await shop.createCart()
  const contract_id = me.limited_contract_id
  await shop.add(cart_id, { item_id: 1, quantity: 3, contract_id })
  await shop.add(cart_id, { item_id: 2, quantity: 2, contract_id })
  const cart_group_key = await shop.groupKey(cart_id)
  return (await shop.ok('PUT', '/api/v1/orders/', { cart_group_key, ...destination, ...remarks })).created_order_id
}

async function details({ shop }: OperatorWorld, order_id: number) {
  const items = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return {
    address: destination,
    items: items.map((item: { order_item_quantity: number }) => ({
      ...item,
      order_item_shipped: 0,
      order_item_open: item.order_item_quantity,
    })),
    terms: { currency_code: 'EUR', tax_mode: 'added', tax_percent: 10, discount_percent: 5 },
    shipments: [],
    ...remarks,
  }
}

const actions = {
  cancel: { allowed: true, until_state_id: 'shipped' },
  reschedule: { allowed: true, until_state_id: 'fulfilling', earliest_date: day(0), latest_date: day(30) },
  adjust: { allowed: true, until_state_id: 'fulfilling' },
}

test('each word of include adds its members to an order and to a list, and nothing else', async () => {
  const world = await newWorld()
  const { shop } = world
  const order_id = await placeInFull(world)
  const plain = await shop.ok('GET', `/api/v1/orders/${order_id}/`)
  const all = Object.entries<unknown>(await details(world, order_id))
  const isRemark = ([name]: [string, unknown]): boolean => Object.hasOwn(remarks, name)
  const members: Record<string, object> = {
    ...Object.fromEntries(all.flatMap((one) => (isRemark(one) ? [] : [[one[0], Object.fromEntries([one])]]))),
    reference: Object.fromEntries(all.filter(isRemark)),
    returns: { returns: [], return_requests: [] },
    documents: { documents: [] },
    metadata: { metadata: {} },
    actions: { actions },
  }
  assert.deepEqual(Object.keys(members).toSorted(), orderIncludes.toSorted())
  const everything = Object.assign({}, ...Object.values(members))
  for (const [include, added] of [
    ...Object.entries(members),
    ['address,items', { ...members['address'], ...members['items'] }],
    [' Terms , REFERENCE,terms', { ...members['terms'], ...members['reference'] }],
    [orderIncludes.join(), everything],
  ] as [string, object][]) {
    const query = `?include=${encodeURIComponent(include)}`
    const full = { ...plain, ...added }
    assert.deepEqual(await shop.ok('GET', `/api/v1/orders/${order_id}/${query}`), full, include)
    assert.deepEqual(await shop.ok('GET', `/api/v1/orders/${query}`), [full], include)
  }
  assert.deepEqual(await shop.ok('GET', `/api/v1/orders/${order_id}/?include=`), plain)
})

test('an unknown word of include is refused, and the known ones are named', async () => {
  const { shop, me } = await newWorld()
  const { order_id } = await order(await newWorld())
  for (const [path, more] of [
    [`/api/v1/orders/${order_id}/`, ', promise'],
    ['/api/v1/orders/', ''],
  ] as const) {
    for (const include of ['adress', 'address,', 'address;items', 'items items']) {
      const answer = await service.request('GET', `${path}?include=${encodeURIComponent(include)}`, { key: me.key })
      assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, 'include'], include)
      assert.deepEqual(
        answer.body.errors[0]?.details?.['rule'],
        `one or more of address, items, terms, shipments, returns, documents, metadata, reference, actions${more}, separated by commas`,
      )
    }
  }
  const foreign = await service.request('GET', `/api/v1/orders/${order_id}/?include=address`, { key: me.key })
  assert.deepEqual([foreign.status, foreign.body.errors[0]?.code], [404, 'order_not_found'])
  assert.deepEqual(await shop.ok('GET', '/api/v1/orders/?include=address'), [])
})

test('operators see the address, the contact, the terms, the remarks and the lines in every answer with an order', async () => {
  const world = await newWorld()
  const order_id = await placeInFull(world)
  await service.sql('update contacts set contact_email = $2 where contact_id = $1', [
    world.me.contact_id,
    'anna@weber.example',
  ])
  const order = await world.shop.ok('GET', `/api/v1/orders/${order_id}/`)
  const actor = { actor: `key ${world.me.key_id}`, operator_id: null }
  const full = {
    client_id: world.me.client_id,
    client_name: 'Garage Weber',
    order_contact: {
      contact_id: world.me.contact_id,
      contact_name: 'Anna Weber',
      contact_email: 'anna@weber.example',
    },
    ...order,
    order_history: order.order_history.map((entry: object) => ({ ...entry, ...actor })),
    ...(await details(world, order_id)),
    hold_reason: null,
    notes: [],
    returns: [],
    return_requests: [],
    documents: [],
    client_metadata: {},
    metadata: {},
  }
  const path = `/operator/v1/orders/${order_id}/`
  assert.deepEqual(await operators.ok('GET', path), { ...full, adjustments: [] })
  assert.deepEqual(await operators.ok('GET', `/operator/v1/orders/?client_id=${world.me.client_id}`), [full])
  assert.deepEqual(await operators.ok('GET', `/operator/v1/orders/?order_number=${full.order_number}`), [full])
  const moved = await operators.ok('POST', `${path}move/`, { state_id: 'processing' })
  const { order_update_datetime: _at, order_state_id: _state, order_history: _history, ...unchanged } = full
  assert.deepEqual(moved, { ...moved, ...unchanged })
  assert.deepEqual([moved.order_state_id, moved.order_history.length], ['processing', 2])
})

test('the lines say what is shipped and open in every state', async () => {
  const world = await newWorld()
  const { order_id } = await order(world)
  const quantities = async (): Promise<number[]> => {
    const [line] = (await world.shop.ok('GET', `/api/v1/orders/${order_id}/?include=items`)).items
    assert.deepEqual([line], (await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).items)
    return [line.order_item_quantity, line.order_item_shipped, line.order_item_open]
  }
  assert.deepEqual(await quantities(), [3, 0, 3])
  const states = { processing: [3, 0, 3], fulfilling: [3, 0, 3], shipped: [3, 3, 0], completed: [3, 3, 0] }
  for (const [state_id, expected] of Object.entries(states)) {
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
    assert.deepEqual(await quantities(), expected, state_id)
  }
  const other = await order(world)
  await world.shop.ok('DELETE', `/api/v1/orders/${other.order_id}/`)
  const lines = async () => (await operators.ok('GET', `/operator/v1/orders/${other.order_id}/`)).items
  assert.equal((await lines())[0].order_item_open, 3)
  await operators.ok('POST', `/operator/v1/orders/${other.order_id}/cancellation/accept/`)
  assert.equal((await lines())[0].order_item_open, 0)
})

test('actions say what the service accepts, in every state', async () => {
  const world = await newWorld()
  const { shop } = world
  const attempts = {
    adjust: (order_id: number, line: number) =>
      service.request('PATCH', `/api/v1/orders/${order_id}/items/${line}/`, {
        key: world.me.key,
        form: { quantity: 2 },
      }),
    reschedule: (order_id: number) =>
      service.request('PATCH', `/api/v1/orders/${order_id}/`, { key: world.me.key, form: { shipping_date: day(3) } }),
    cancel: (order_id: number) => service.request('DELETE', `/api/v1/orders/${order_id}/`, { key: world.me.key }),
  }
  for (const [n, last] of ['new', 'processing', 'fulfilling', 'shipped', 'completed', 'canceled'].entries()) {
    const { order_id, order_item_id } = await order(world)
    const way = last === 'canceled' ? ['canceled'] : ['processing', 'fulfilling', 'shipped', 'completed'].slice(0, n)
    for (const state_id of way)
      await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id, text: 'As agreed.' })
    const shown = (await shop.ok('GET', `/api/v1/orders/${order_id}/?include=actions`)).actions
    const expected = {
      cancel: n < 3 ? actions.cancel : { allowed: false, until_state_id: null },
      reschedule:
        n < 2 ? actions.reschedule : { allowed: false, until_state_id: null, earliest_date: null, latest_date: null },
      adjust: n < 2 ? actions.adjust : { allowed: false, until_state_id: null },
    }
    assert.deepEqual(shown, expected, last)
    for (const name of ['adjust', 'reschedule', 'cancel'] as const) {
      const { status } = await attempts[name](order_id, order_item_id)
      assert.equal(status, expected[name].allowed ? 200 : 409, `${name} in ${last}`)
    }
  }
})

test('the days for rescheduling are those of the stock, and none if it cannot ship or the history is full', async () => {
  const world = await newWorld()
  const { shop } = world
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1, stock_id: 2 }) // Two days of lead time, closed on weekends.
  const order_id = await shop.order(cart_id)
  const shown = async () => (await shop.ok('GET', `/api/v1/orders/${order_id}/?include=actions`)).actions.reschedule
  const refused = await service.request('PATCH', `/api/v1/orders/${order_id}/`, {
    key: world.me.key,
    form: { shipping_date: day(100) },
  })
  const { earliest_date, latest_date } = refused.body.errors[0]?.details ?? {}
  assert.deepEqual(await shown(), { allowed: true, until_state_id: 'fulfilling', earliest_date, latest_date })
  const never = { allowed: false, until_state_id: null, earliest_date: null, latest_date: null }
  await service.sql('insert into stock_closed_days select 2, current_date + n from generate_series(0, 40) n')
  assert.deepEqual(await shown(), never) // Open again after the last day that is accepted.
  await service.sql('insert into stock_closed_days select 2, current_date + n from generate_series(41, 801) n')
  assert.deepEqual(await shown(), never)
  await service.sql('delete from stock_closed_days where stock_id = 2')
  await service.sql('update orders set history_count = $2 where order_id = $1', [order_id, historyMax])
  assert.deepEqual(await shown(), never)
  await service.sql('update orders set history_count = 1 where order_id = $1', [order_id])
})

test('a list with lines has at most fifty orders a page; without lines it has up to five hundred, and by default too', async () => {
  const { shop, me } = await newWorld()
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  await copyOrder(service, order_id, 520)
  const page = async (query: string): Promise<{ data: { items?: unknown[] }[]; next: string | null }> => {
    const { body } = await service.request('GET', `/api/v1/orders/?${query}`, { key: me.key })
    return { data: body.data, next: body.paging?.next_cursor ?? null }
  }
  assert.equal((await page('')).data.length, 500)
  assert.equal((await page('include=address')).data.length, 500)
  const first = await page('include=items')
  assert.equal(first.data.length, ordersWithLinesMax)
  assert(first.data.every(({ items }) => items?.length === 1))
  const second = await page(`include=items&limit=30&cursor=${first.next}`)
  assert.equal(second.data.length, 30)
  assert.equal((await page(`cursor=${second.next}`)).data.length, 521 - ordersWithLinesMax - 30)
})
