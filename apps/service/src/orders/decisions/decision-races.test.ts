/** Decisions race each other and the client: one outcome wins, and the loser's response says what happened. */
import { after, before, test } from 'node:test'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

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
  readonly next_item_id: number | undefined
}

/** Runs the rounds concurrently; each gets its own order of three pieces of each item. */
async function race(round: (order: Order) => Promise<string>, items = [1]): Promise<Record<string, number>> {
  const outcomes = await countOutcomes(rounds(1_000), clients, async (me) => {
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    for (const item_id of items) await shop.add(cart_id, { item_id, quantity: 3 })
    const order_id = await shop.order(cart_id)
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    const [line, next] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
    const outcome = await round({
      me,
      order_id,
      order_item_id: line.order_item_id,
      next_item_id: next?.order_item_id,
    })
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

/** Requests another quantity of the line. */
const ask = (order: Order, quantity: number, order_item_id = order.order_item_id): Promise<Answer> =>
  asClient(order, 'PATCH', `${order.order_id}/items/${order_item_id}/`, { quantity })

const withdraw = (order: Order, adjustment_id: number): Promise<Answer> =>
  asClient(order, 'DELETE', `${order.order_id}/adjustments/${adjustment_id}/`)

/** The quantity of the line, and each adjustment with the number of its decisions in the event log, oldest first. */
async function trace({ order_id, order_item_id }: Order): Promise<string> {
  const [line] = await service.sql('select order_item_quantity as quantity from order_items where order_item_id = $1', [
    order_item_id,
  ])
  const adjustments = await service.sql(
    `select concat_ws(' ', a.quantity_wanted, a.adjustment_status, (
         select count(*) from events e
         where e.order_id = a.order_id and e.event_type = 'adjustment.decided'
           and e.data->>'adjustment_id' = a.adjustment_id::text
       )) as shown
     from adjustments a where a.order_id = $1 order by a.adjustment_id`,
    [order_id],
  )
  return `${String(line?.['quantity'])}; ${adjustments.map(({ shown }) => shown).join(', ')}`
}

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
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [accepted, rejected] = await atTheSameTime(
      () => asOperator(`adjustments/${adjustment_id}/accept/`),
      () => asOperator(`adjustments/${adjustment_id}/reject/`, { message: 'No.' }),
    )
    return `${shortOf(accepted)}, ${shortOf(rejected)}`
  })
  assertAll(outcomes, 'done, adjustment_decided', 'adjustment_decided, done')
})

test("accepting an adjustment races the client's next request: accepted first or superseded first", async () => {
  const outcomes = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [accepted, requested] = await atTheSameTime(
      () => asOperator(`adjustments/${adjustment_id}/accept/`),
      () => ask(order, 7),
    )
    return `${shortOf(accepted)}, ${shortOf(requested)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, done: 5; 5 ACCEPTED 1, 7 WAIT 0', 'adjustment_decided, done: 3; 5 CANCELED 1, 7 WAIT 0')
})

test('withdrawing an adjustment races accepting it: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [withdrawn, accepted] = await atTheSameTime(
      () => withdraw(order, adjustment_id),
      () => asOperator(`adjustments/${adjustment_id}/accept/`),
    )
    return `${shortOf(withdrawn)}, ${shortOf(accepted)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, adjustment_decided: 3; 5 CANCELED 1', 'adjustment_decided, done: 5; 5 ACCEPTED 1')
})

test('asking for the current quantity races accepting: it supersedes the request, or requests the old quantity again', async () => {
  const outcomes = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [asked, accepted] = await atTheSameTime(
      () => ask(order, 3),
      () => asOperator(`adjustments/${adjustment_id}/accept/`),
    )
    return `${asked.body.data.adjustment_status}, ${shortOf(accepted)}: ${await trace(order)}`
  })
  assertAll(
    outcomes,
    'WAIT, adjustment_decided: 3; 5 CANCELED 1, 3 ACCEPTED 1',
    'WAIT, done: 5; 5 ACCEPTED 1, 3 WAIT 0',
  )
})

test('withdrawing an adjustment races a request for another quantity: that one stays open', async () => {
  const outcomes = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [withdrawn, asked] = await atTheSameTime(
      () => withdraw(order, adjustment_id),
      () => ask(order, 7),
    )
    return `${shortOf(withdrawn)}, ${shortOf(asked)}: ${await trace(order)}`
  })
  assertAll(outcomes, 'done, done: 3; 5 CANCELED 1, 7 WAIT 0', 'adjustment_decided, done: 3; 5 CANCELED 1, 7 WAIT 0')
})

test('two withdrawals race, or a withdrawal and a request for the current quantity: the adjustment is decided once', async () => {
  const byId = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [one, other] = await atTheSameTime(
      () => withdraw(order, adjustment_id),
      () => withdraw(order, adjustment_id),
    )
    return `${shortOf(one)}, ${shortOf(other)}: ${await trace(order)}`
  })
  assertAll(byId, 'done, done: 3; 5 CANCELED 1')
  const byQuantity = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 5)).body.data
    const [one, other] = await atTheSameTime(
      () => withdraw(order, adjustment_id),
      () => ask(order, 3),
    )
    return `${shortOf(one)}, ${shortOf(other)}: ${await trace(order)}`
  })
  assertAll(
    byQuantity,
    'done, done: 3; 5 CANCELED 1, 3 ACCEPTED 1',
    'adjustment_decided, done: 3; 5 CANCELED 1, 3 ACCEPTED 1',
  )
})

test('two requests for the current quantity race: one adjustment is recorded, and both return it', async () => {
  const outcomes = await race(async (order) => {
    await ask(order, 5)
    const [one, other] = await atTheSameTime(
      () => ask(order, 3),
      () => ask(order, 3),
    )
    return `${one.text === other.text}: ${await trace(order)}`
  })
  assertAll(outcomes, 'true: 3; 5 CANCELED 1, 3 ACCEPTED 1')
})

test('two removals of the last two lines race: both are accepted, and the order is cancelled once', async () => {
  const outcomes = await race(
    async (order) => {
      const first = (await ask(order, 0)).body.data.adjustment_id
      const second = (await ask(order, 0, order.next_item_id)).body.data.adjustment_id
      const [one, other] = await atTheSameTime(
        () => asOperator(`adjustments/${first}/accept/`),
        () => asOperator(`adjustments/${second}/accept/`),
      )
      const [row] = await service.sql(
        `select count(*) as cancellations from order_history where order_id = $1 and state_id = 'canceled'`,
        [order.order_id],
      )
      return `${shortOf(one)}, ${shortOf(other)}: ${await stateOf(order)} ${String(row?.['cancellations'])}`
    },
    [1, 2],
  )
  assertAll(outcomes, 'done, done: canceled 1')
})

test('removing the last line races a cancellation request: exactly one succeeds', async () => {
  const outcomes = await race(async (order) => {
    const { adjustment_id } = (await ask(order, 0)).body.data
    const [accepted, cancelled] = await atTheSameTime(
      () => asOperator(`adjustments/${adjustment_id}/accept/`),
      () => asClient(order, 'DELETE', `${order.order_id}/`),
    )
    return `${shortOf(accepted)}, ${shortOf(cancelled)}: ${await stateOf(order)}`
  })
  assertAll(outcomes, 'done, order_not_cancellable: canceled', 'adjustment_decided, done: zayavka-na-otmen')
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
