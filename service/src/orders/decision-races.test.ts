/** Decisions race each other and the client: one outcome wins, and the loser's response says what happened. */
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../testing/racing.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

const concurrency = 8

let service: TestService
let operators: Operators
let clients: TestClient[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  clients = await Promise.all(Array.from({ length: concurrency }, () => addClient(service)))
})
after(() => service.close())

interface Order {
  readonly me: TestClient
  readonly order_id: number
  readonly order_item_id: number
}

/** Runs the rounds concurrently; each gets its own order. */
async function race(round: (order: Order) => Promise<string>): Promise<Record<string, number>> {
  const outcomes = await countOutcomes(rounds(1_000), clients, async (me) => {
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 3 })
    const order_id = await shop.order(cart_id)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    const outcome = await round({ me, order_id, order_item_id: line.order_item_id })
    await service.sql('update stock_levels set on_hand = on_hand + 10 where stock_id = 1 and item_id = 1')
    return outcome
  })
  await service.checkInvariants()
  return outcomes
}

const asOperator = (path: string, json?: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/${path}`, { key: operators.keys.decider, json })

const asClient = ({ me }: Order, method: string, path: string, form?: Record<string, number>): Promise<Answer> =>
  service.request(method, `/api/v1/orders/${path}`, { key: me.key, ...(form && { form }) })

const stateOf = async ({ order_id }: Order): Promise<string> =>
  String(
    (await service.sql('select order_state_id from orders where order_id = $1', [order_id]))[0]?.['order_state_id'],
  )

test('accepting a cancellation races rejecting it: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    await asClient(order, 'DELETE', `${order.order_id}/`)
    const [accepted, rejected] = await atTheSameTime(
      () => asOperator(`orders/${order.order_id}/cancellation/accept/`),
      () => asOperator(`orders/${order.order_id}/cancellation/reject/`, { message: 'No.' }),
    )
    return `${shortOf(accepted)}, ${shortOf(rejected)}: ${await stateOf(order)}`
  })
  assertAll(outcomes, 'done, cancellation_not_requested: canceled', 'cancellation_not_requested, done: new')
})

test('accepting an adjustment races rejecting it: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    const { body } = await asClient(order, 'PATCH', `${order.order_id}/items/${order.order_item_id}/`, { quantity: 5 })
    const [accepted, rejected] = await atTheSameTime(
      () => asOperator(`adjustments/${body.data.adjustment_id}/accept/`),
      () => asOperator(`adjustments/${body.data.adjustment_id}/reject/`, { message: 'No.' }),
    )
    return `${shortOf(accepted)}, ${shortOf(rejected)}`
  })
  assertAll(outcomes, 'done, adjustment_decided', 'adjustment_decided, done')
})

test("accepting an adjustment races the client's next request: accepted first or superseded first", async () => {
  const outcomes = await race(async (order) => {
    const path = `${order.order_id}/items/${order.order_item_id}/`
    const { body } = await asClient(order, 'PATCH', path, { quantity: 5 })
    const [accepted, requested] = await atTheSameTime(
      () => asOperator(`adjustments/${body.data.adjustment_id}/accept/`),
      () => asClient(order, 'PATCH', path, { quantity: 7 }),
    )
    const [line] = await service.sql(
      'select order_item_quantity as quantity from order_items where order_item_id = $1',
      [order.order_item_id],
    )
    return `${shortOf(accepted)}, ${shortOf(requested)}: ${String(line?.['quantity'])}`
  })
  assertAll(outcomes, 'done, done: 5', 'adjustment_decided, done: 3')
})

test('shipping races a cancellation request: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    for (const state_id of ['processing', 'fulfilling'])
      await asOperator(`orders/${order.order_id}/move/`, { state_id })
    const [shipped, cancelled] = await atTheSameTime(
      () => asOperator(`orders/${order.order_id}/move/`, { state_id: 'shipped' }),
      () => asClient(order, 'DELETE', `${order.order_id}/`),
    )
    return `${shortOf(shipped)}, ${shortOf(cancelled)}: ${await stateOf(order)}`
  })
  assertAll(outcomes, 'done, order_not_cancellable: shipped', 'order_move_refused, done: zayavka-na-otmen')
})

test('rejecting a cancellation races a second request: both succeed in one order or the other', async () => {
  const outcomes = await race(async (order) => {
    await asClient(order, 'DELETE', `${order.order_id}/`)
    const [rejected, repeated] = await atTheSameTime(
      () => asOperator(`orders/${order.order_id}/cancellation/reject/`, { message: 'No.' }),
      () => asClient(order, 'DELETE', `${order.order_id}/`),
    )
    return `${shortOf(rejected)}, ${shortOf(repeated)}: ${await stateOf(order)}`
  })
  assertAll(outcomes, 'done, done: new', 'done, done: zayavka-na-otmen')
})
