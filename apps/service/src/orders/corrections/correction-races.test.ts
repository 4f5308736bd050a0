/** Corrections by operators race the client and each other: one serial outcome, and the books are in order. */
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

/** Runs the rounds concurrently; each gets its own order of three brake discs. */
async function race(round: (order: Order) => Promise<string>): Promise<Record<string, number>> {
  const outcomes = await countOutcomes(rounds(1_000), clients, async (me) => {
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 1, quantity: 3 })
    const order_id = await shop.order(cart_id)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    await service.sql('update stock_levels set on_hand = on_hand + 10 where stock_id = 1 and item_id = 1')
    return round({ me, order_id, order_item_id })
  })
  await service.checkInvariants()
  return outcomes
}

const asOperator = ({ order_id }: Order, method: string, path: string, json?: object): Promise<Answer> =>
  service.request(method, `/operator/v1/orders/${order_id}/${path}`, { key: operators.keys.decider, json })

const move = (order: Order, state_id: string): Promise<Answer> =>
  asOperator(order, 'POST', 'move/', { state_id, text: 'Moved.' })

const undo = (order: Order): Promise<Answer> =>
  asOperator(order, 'POST', 'undo-cancellation/', { reason: 'A mistake.' })

const change = (order: Order, quantity: number): Promise<Answer> =>
  asOperator(order, 'PATCH', `items/${order.order_item_id}/`, { quantity, reason: 'Damaged.' })

const asClient = ({ me, order_id }: Order, method: string, path = '', form?: Record<string, number>): Promise<Answer> =>
  service.request(method, `/api/v1/orders/${order_id}/${path}`, { key: me.key, ...(form && { form }) })

const ask = (order: Order, quantity: number): Promise<Answer> =>
  asClient(order, 'PATCH', `items/${order.order_item_id}/`, { quantity })

/** The state of the order, the one before a request, and the quantity and adjustments of the line. */
async function trace({ order_id, order_item_id }: Order): Promise<string> {
  const [row] = await service.sql(
    `select concat_ws(' ', o.order_state_id, o.state_before_request, i.order_item_quantity, (
         select string_agg(concat_ws(' ', a.quantity_before, a.quantity_wanted, a.adjustment_status), ', ')
         from adjustments a where a.order_id = o.order_id)) as shown
     from orders o join order_items i using (client_id, order_id)
     where o.order_id = $1 and i.order_item_id = $2`,
    [order_id, order_item_id],
  )
  return String(row?.['shown'])
}

test("a change of a line races the client's request: the request is closed, or it is about the new quantity", async () => {
  const outcomes = await race(async (order) => {
    const [changed, asked] = await atTheSameTime(
      () => change(order, 2),
      () => ask(order, 1),
    )
    return `${shortOf(changed)}, ${shortOf(asked)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, done: new 2 2 1 WAIT', 'done, done: new 2 3 1 CANCELED')
})

test('a change of a line races the acceptance of its adjustment: one of both is first, and no quantity is lost', async () => {
  const outcomes = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 1)).body.data
    const [changed, accepted] = await atTheSameTime(
      () => change(order, 2),
      () =>
        service.request('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`, { key: operators.keys.decider }),
    )
    return `${shortOf(changed)}, ${shortOf(accepted)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, done: new 2 3 1 ACCEPTED', 'done, adjustment_decided: new 2 3 1 CANCELED')
})

test('undoing a cancellation races the next move: the move finds the order cancelled, or restored', async () => {
  const outcomes = await race(async (order) => {
    await move(order, 'canceled')
    const [undone, moved] = await atTheSameTime(
      () => undo(order),
      () => move(order, 'processing'),
    )
    return `${shortOf(undone)}, ${shortOf(moved)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, done: processing 3', 'done, order_move_refused: new 3')
})

test('of two operators that undo a cancellation, one does, and the goods are reserved once', async () => {
  const outcomes = await race(async (order) => {
    await move(order, 'canceled')
    const answers = await atTheSameTime(
      () => undo(order),
      () => undo(order),
    )
    return `${answers.map(shortOf).toSorted().join(', ')}: ${await trace(order)}`
  })
  assertAll(outcomes, 'cancellation_not_undoable, done: new 3')
})

test("a move back races the client's cancellation request: the request remembers the state that it found", async () => {
  const outcomes = await race(async (order) => {
    for (const state of ['processing', 'fulfilling']) await move(order, state)
    const [moved, requested] = await atTheSameTime(
      () => move(order, 'processing'),
      () => asClient(order, 'DELETE'),
    )
    return `${shortOf(moved)}, ${shortOf(requested)}: ${await trace(order)}`
  })
  assertAll(
    outcomes,
    'done, done: zayavka-na-otmen processing 3',
    'order_move_refused, done: zayavka-na-otmen fulfilling 3',
  )
})

test('of two operators that add the same item, one adds a line and the other is referred to it', async () => {
  const outcomes = await race(async (order) => {
    const add = (): Promise<Answer> =>
      asOperator(order, 'POST', 'items/', { item_id: 2, quantity: 1, reason: 'Phone.' })
    const answers = await atTheSameTime(add, add)
    const [{ lines } = {}] = await service.sql(
      'select count(*)::integer as lines from order_items where order_id = $1 and item_id = 2',
      [order.order_id],
    )
    return `${answers.map(shortOf).toSorted().join(', ')}: ${Number(lines)}`
  })
  assertAll(outcomes, 'done, item_in_order: 1')
})

test('of two operators that were shown the same figure, one changes it and the other gets the present one', async () => {
  const outcomes = await race(async (order) => {
    const changes = [2, 4].map((quantity) => async (): Promise<string> => {
      const json = { quantity, reason: 'Phone.', expected: 3 }
      const answer = await asOperator(order, 'PATCH', `items/${order.order_item_id}/`, json)
      const [error] = answer.status === 200 ? [] : answer.body.errors
      return error === undefined ? `set ${quantity}` : `${error.code} ${JSON.stringify(error.details)}`
    }) as [() => Promise<string>, () => Promise<string>]
    return `${(await atTheSameTime(...changes)).toSorted().join(', ')}: ${await trace(order)}`
  })
  const told = (present: number): string =>
    `expected_differs ${JSON.stringify({ figure: 'quantity', expected: 3, present })}, set ${present}: new ${present}`
  assertAll(outcomes, told(2), told(4))
})

test('of two shipments that were shown the same open pieces, one is made', async () => {
  const outcomes = await race(async (order) => {
    for (const state of ['processing', 'fulfilling']) await move(order, state)
    const ship = (): Promise<Answer> => {
      const lines = [{ order_item_id: order.order_item_id, quantity: 1 }]
      return asOperator(order, 'POST', 'shipments/', { lines, expected: 3 })
    }
    const answers = await atTheSameTime(ship, ship)
    const [{ shipped } = {}] = await service.sql(
      'select shipped_quantity as shipped from order_items where order_id = $1',
      [order.order_id],
    )
    return `${answers.map(shortOf).toSorted().join(', ')}: ${Number(shipped)}`
  })
  assertAll(outcomes, 'done, expected_differs: 1')
})
