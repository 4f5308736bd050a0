/** What an adjustment requested, and who decided it, is shown to those who ask for it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventsAfter, lastEvents } from '../../testing/events.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { adjustment, decisions, order } from '../../testing/orders.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Shown {
  readonly adjustment_id: number
  readonly request: { decided_by: string | null; decided_at: string | null }
}

const list = ({ shop }: OperatorWorld, order_id: number, query = ''): Promise<Shown[]> =>
  shop.ok('GET', `/api/v1/orders/${order_id}/adjustments/${query}`)

test('include=request adds the line, the quantities, the reason and the decision to a list and to one adjustment', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, order_item_id } = await order(world)
  const { adjustment_id } = await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, {
    quantity: 7,
    reason: 'The customer needs more.',
  })
  const path = `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`
  const request = {
    order_item_id,
    requested_quantity: 7,
    quantity_before: 3,
    reason: 'The customer needs more.',
    decided_by: null,
    decided_at: null,
  }
  const plain = await world.shop.ok('GET', path)
  assert.deepEqual(await world.shop.ok('GET', `${path}?include=request`), { ...plain, request })
  assert.deepEqual(await list(world, order_id, '?include=request'), [{ ...plain, request }])

  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)
  const [row] = await service.sql(
    `select to_char(decided_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as decided_at
     from adjustments where adjustment_id = $1`,
    [adjustment_id],
  )
  const decided = { ...request, decided_by: 'distributor', decided_at: row?.['decided_at'] }
  assert.deepEqual((await world.shop.ok('GET', `${path}?include=request`)).request, decided)
})

test('without include, adjustments have exactly the fields of the contract', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, adjustment_id } = await adjustment(world)
  const { text } = await service.request('GET', `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`, {
    key: world.me.key,
  })
  assert.equal(
    text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'then'),
    `{"status":"ok","data":{"adjustment_id":${adjustment_id},"adjustment_order_id":${order_id},"adjustment_date_create":"then","adjustment_status":"WAIT","adjustment_canceled_message":null,"adjustment_items":[{"sku_id":1,"product_id":11,"product_name":"Brake disc 280","sku_name":"Brake disc front 280 mm vented","sku":"BN-280-V","difference":0}]}}`,
  )
})

const withdrawals: typeof decisions = {
  'withdrawing by the quantity': {
    by: 'client',
    decide: ({ shop }, { order_id, order_item_id }) =>
      shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 3 }),
  },
  'withdrawing by the id': {
    by: 'client',
    decide: ({ shop }, { order_id, adjustment_id }) =>
      shop.ok('DELETE', `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`),
  },
}

for (const [way, { by: kind, decide }] of Object.entries({ ...decisions, ...withdrawals })) {
  test(`${way} records who decided, and the client sees '${kind}' in lists and events`, async () => {
    const world = await makeOperatorWorld(service, operators)
    const place = await adjustment(world)
    await decide(world, place)
    const { adjustment_id, order_id } = place
    const listed = (await list(world, order_id, '?include=request')).find((one) => one.adjustment_id === adjustment_id)
    assert.equal(listed?.request.decided_by, kind)
    const events = await world.shop.ok('GET', '/api/v1/events/')
    const event = events.find(
      ({ event_type, data }: { event_type: string; data: Shown }) =>
        event_type === 'adjustment.decided' && data.adjustment_id === adjustment_id,
    )
    assert.deepEqual(event.data, listed)
    const [row] = await service.sql('select decided_by from adjustments where adjustment_id = $1', [adjustment_id])
    assert.match(String(row?.['decided_by']), kind === 'client' ? /^key \d+$/ : /^operator \d+ key \d+$/)
  })
}

test('adjustments that were decided before it was recorded who decided are shown without it', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id, adjustment_id } = await adjustment(world)
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'No.' })
  await service.sql('update adjustments set decided_by = null where adjustment_id = $1', [adjustment_id])
  const [shown] = await list(world, order_id, '?include=request')
  assert.equal(shown?.request.decided_by, null)
  assert.notEqual(shown.request.decided_at, null)
  const events = await world.shop.ok('GET', '/api/v1/events/')
  assert.deepEqual(events.at(-1).data, shown)
})

test('operators see the name of who decided: in the answer to a decision and in the feed', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { adjustment_id } = await adjustment(world)
  const { next_cursor } = await lastEvents(service, operators)
  const rejected = await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'No.' })
  assert.match(rejected.request.decided_by, /^operator \d+ key \d+, Test admin$/)
  const [event] = await eventsAfter<{ data: object }>(operators, next_cursor, 1)
  assert.deepEqual(event?.data, rejected)
})

test('an unknown word in include is refused with the known ones', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { order_id } = await adjustment(world)
  const answer = await service.request('GET', `/api/v1/orders/${order_id}/adjustments/?include=request,price`, {
    key: world.me.key,
  })
  assert.deepEqual(
    [answer.status, answer.body.errors[0]?.code, answer.body.errors[0]?.field],
    [400, 'field_invalid', 'include'],
  )
})
