/** Shipments race each other, the client and the closing of the rest: one outcome wins, and nothing is shipped twice. */
import { after, before, test } from 'node:test'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

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

/** Runs the rounds concurrently; each gets its own order of three pieces in `fulfilling`. */
async function race(round: (order: Order) => Promise<string>): Promise<Record<string, number>> {
  const outcomes = await countOutcomes(rounds(1_000), clients, async (me) => {
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 3 })
    const order_id = await shop.order(cart_id)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    for (const state_id of ['processing', 'fulfilling']) await act(order_id, 'move', { state_id })
    const outcome = await round({ me, order_id, order_item_id: line.order_item_id })
    await service.sql('update stock_levels set on_hand = on_hand + 3 where stock_id = 1 and item_id = 1')
    return outcome
  })
  await service.checkInvariants()
  return outcomes
}

const act = (order_id: number, action: string, json: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/${action}/`, { key: operators.keys.decider, json })

const ship = ({ order_id, order_item_id }: Order, quantity: number): Promise<Answer> =>
  act(order_id, 'shipments', { lines: [{ order_item_id, quantity }] })

const cancel = ({ me, order_id }: Order): Promise<Answer> =>
  service.request('DELETE', `/api/v1/orders/${order_id}/`, { key: me.key })

/** The state of the order, what is shipped of its line, and its shipments. */
async function trace({ order_id }: Order): Promise<string> {
  const [row] = await service.sql(
    `select concat_ws(' ', o.order_state_id, i.shipped_quantity || '/' || i.order_item_quantity, (
         select count(*) from shipments p where p.order_id = o.order_id
       )) as trace
     from orders o join order_items i using (client_id, order_id) where o.order_id = $1`,
    [order_id],
  )
  return String(row?.['trace'])
}

test('two shipments of the same pieces race: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    const [one, other] = await atTheSameTime(
      () => ship(order, 2),
      () => ship(order, 2),
    )
    return `${[shortOf(one), shortOf(other)].toSorted().join(', ')}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, quantity_not_open: fulfilling 2/3 1')
})

test('two shipments that both fit race: both succeed, and the second one makes the order shipped', async () => {
  const outcomes = await race(async (order) => {
    const [one, other] = await atTheSameTime(
      () => ship(order, 1),
      () => ship(order, 2),
    )
    return `${shortOf(one)}, ${shortOf(other)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, done: shipped 3/3 2')
})

test('a partial shipment races a cancellation request: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    const [shipped, cancelled] = await atTheSameTime(
      () => ship(order, 1),
      () => cancel(order),
    )
    return `${shortOf(shipped)}, ${shortOf(cancelled)}: ${await trace(order)}`
  })
  assertAll(
    outcomes,
    'done, order_partly_shipped: fulfilling 1/3 1',
    'order_move_refused, done: zayavka-na-otmen 0/3 0',
  )
})

test('a partial shipment races an operator who cancels the order: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    const [shipped, cancelled] = await atTheSameTime(
      () => ship(order, 1),
      () => act(order.order_id, 'move', { state_id: 'canceled', text: 'Sold out.' }),
    )
    return `${shortOf(shipped)}, ${shortOf(cancelled)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, order_partly_shipped: fulfilling 1/3 1', 'order_move_refused, done: canceled 0/3 0')
})

test('a shipment of the rest races closing it: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    await ship(order, 1)
    const [shipped, closed] = await atTheSameTime(
      () => ship(order, 2),
      () => act(order.order_id, 'close-open', { reason: 'Sold out.' }),
    )
    return `${shortOf(shipped)}, ${shortOf(closed)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, order_move_refused: shipped 3/3 2', 'order_move_refused, done: shipped 1/1 1')
})
