/** Requests to return goods race each other, arrivals, decisions and withdrawals: one serial outcome. */
import { after, before, test } from 'node:test'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { requestReturn, shipPart } from '../../testing/orders.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import type { World } from '../../testing/world.ts'

const concurrency = 4

let service: TestService
let operators: Operators
let worlds: World[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  const clients = await Promise.all(Array.from({ length: concurrency }, () => addClient(service)))
  worlds = clients.map((me: TestClient) => ({ service, me, shop: shopper(service, me) }))
})
after(() => service.close())

interface Shipped {
  readonly world: World
  readonly order_id: number
  readonly order_item_id: number
}

/** Runs the rounds concurrently; each gets its own order of three brake discs, of which two are shipped. */
async function race(round: (order: Shipped) => Promise<string>): Promise<Record<string, number>> {
  const outcomes = await countOutcomes(rounds(800), worlds, async (world) => {
    const { shop } = world
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 3 })
    const order_id = await shop.order(cart_id)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    for (const state_id of ['processing', 'fulfilling'])
      await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
    await shipPart(world, order_id, 2)
    await service.sql('update stock_levels set on_hand = on_hand + 10 where stock_id = 1 and item_id = 1')
    const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    return round({ world, order_id, order_item_id })
  })
  await service.checkInvariants()
  return outcomes
}

const ask = ({ world, order_id, order_item_id }: Shipped, headers: Record<string, string> = {}): Promise<Answer> =>
  service.request('PUT', `/api/v1/orders/${order_id}/return-requests/`, {
    key: world.me.key,
    json: { lines: [{ order_item_id, quantity: 2 }], reason: 'Does not fit.' },
    headers,
  })

const book = ({ order_id, order_item_id }: Shipped, more: object = {}): Promise<Answer> =>
  service.request('POST', `/operator/v1/orders/${order_id}/returns/`, {
    key: operators.keys.decider,
    json: { lines: [{ order_item_id, quantity: 2 }], reason: 'Back.', restock: true, ...more },
  })

const decide = (id: number, decision: string, json: object): Promise<Answer> =>
  service.request('POST', `/operator/v1/return-requests/${id}/${decision}/`, { key: operators.keys.decider, json })

const accept = (id: number): Promise<Answer> => decide(id, 'accept', { instruction: 'To Berlin.' })
const reject = (id: number): Promise<Answer> => decide(id, 'reject', { message: 'No.' })

const withdraw = ({ world, order_id }: Shipped, id: number): Promise<Answer> =>
  service.request('DELETE', `/api/v1/orders/${order_id}/return-requests/${id}/`, { key: world.me.key })

const requested = async ({ world, order_id, order_item_id }: Shipped): Promise<number> =>
  (await requestReturn(world, order_id, [{ order_item_id, quantity: 2 }])).return_request_id

/** What became of the requests, how many pieces came back, and the events about it. */
async function trace({ order_id }: Shipped): Promise<string> {
  const [row] = await service.sql(
    `select concat_ws('; ', (
         select string_agg(request_status, ' ' order by return_request_id) from return_requests where order_id = $1
       ), (select 'back ' || sum(quantity) from order_return_lines where order_id = $1), (
         select string_agg(substring(event_type from '[a-z]+$'), ' ' order by event_number)
         from events where order_id = $1 and event_type like 'return_request.%')) as shown`,
    [order_id],
  )
  return String(row?.['shown'])
}

test('of two requests for the same pieces one is made', async () => {
  const outcomes = await race(async (order) => {
    const answers = await atTheSameTime(
      () => ask(order),
      () => ask(order),
    )
    return `${answers.map(shortOf).toSorted().join(' ')}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done quantity_not_returnable: WAIT; created')
})

test('a request that is sent twice with its Idempotency-Key is made once', async () => {
  const outcomes = await race(async (order) => {
    const headers = { 'idempotency-key': `back-${order.order_id}` }
    const answers = await atTheSameTime(
      () => ask(order, headers),
      () => ask(order, headers),
    )
    return `${answers.map(shortOf).join(' ')}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done done: WAIT; created')
})

test('a request races an arrival of the same pieces: it is made before it or refused after it', async () => {
  const outcomes = await race(async (order) => {
    const answers = await atTheSameTime(
      () => ask(order),
      () => book(order),
    )
    return `${answers.map(shortOf).join(' ')}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done done: WAIT; back 2; created', 'quantity_not_returnable done: back 2')
})

test('of two arrivals that name the same request one is recorded', async () => {
  const outcomes = await race(async (order) => {
    const return_request_id = await requested(order)
    await accept(return_request_id)
    const answers = await atTheSameTime(
      () => book(order, { return_request_id }),
      () => book(order, { return_request_id }),
    )
    return `${answers.map(shortOf).toSorted().join(' ')}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done return_request_not_accepted: RETURNED; back 2; created decided arrived')
})

test('a decision races a withdrawal: one of them is done', async () => {
  const outcomes = await race(async (order) => {
    const id = await requested(order)
    const answers = await atTheSameTime(
      () => accept(id),
      () => withdraw(order, id),
    )
    return `${answers.map(shortOf).join(' ')}: ${await trace(order)}`
  })
  assertAll(
    outcomes,
    'done return_request_decided: ACCEPTED; created decided',
    'return_request_decided done: CANCELED; created decided',
  )
})

test('an arrival races the rejection of the accepted request: one of them is done', async () => {
  const outcomes = await race(async (order) => {
    const return_request_id = await requested(order)
    await accept(return_request_id)
    const answers = await atTheSameTime(
      () => book(order, { return_request_id }),
      () => reject(return_request_id),
    )
    return `${answers.map(shortOf).join(' ')}: ${await trace(order)}`
  })
  assertAll(
    outcomes,
    'done return_request_decided: RETURNED; back 2; created decided arrived',
    'return_request_not_accepted done: CANCELED; created decided decided',
  )
})
