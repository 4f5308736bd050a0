/** Moving many orders over a connection that breaks: every reported result is true. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { MoveResult } from './move-orders.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { countStatements, type Cut, type StatementCounter } from '../../testing/statement-counter.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'

let service: TestService
let counter: StatementCounter
let operators: Operators
let shop: ReturnType<typeof shopper>
/** What happens to the n-th statement that moves an order. */
let fate: (n: number) => Cut | undefined
let moves: number

before(async () => {
  service = await startService({
    through: async (url) => {
      counter = await countStatements(url, (name) => (name === 'move-order' ? fate(++moves) : undefined))
      return counter.url
    },
  })
  await addFixtures(service)
  operators = await makeOperators(service)
  shop = shopper(service, await addClient(service))
})
beforeEach(() => {
  moves = 0
  fate = () => undefined
})
after(async () => {
  await service.close()
  counter.close()
})

async function placeOrders(count: number): Promise<number[]> {
  const ids: number[] = []
  const cart_id = await shop.createCart()
  while (ids.length < count) {
    await shop.add(cart_id, { item_id: 1, quantity: 1 })
    ids.push(await shop.order(cart_id))
  }
  return ids
}

async function move(order_ids: number[]): Promise<MoveResult[]> {
  const results = (await operators.ok('POST', '/operator/v1/orders/move/', {
    order_ids,
    state_id: 'processing',
  })) as MoveResult[]
  assert.deepEqual(
    results.map(({ order_id }) => order_id),
    order_ids,
  )
  return results
}

async function statesOf(order_ids: number[]): Promise<Map<number, string>> {
  const rows = await service.sql('select order_id::int, order_state_id from orders where order_id = any($1)', [
    order_ids,
  ])
  return new Map(rows.map((row) => [Number(row['order_id']), String(row['order_state_id'])]))
}

test('orders whose statement or response is lost are all moved exactly once and reported as moved', async () => {
  for (let round = 0; round < 10; round++) {
    const ids = await placeOrders(16)
    moves = 0
    fate = (n) => (n === 8 ? (round % 2 === 0 ? 'answer lost' : 'statement lost') : undefined)
    assert.deepEqual(
      await move(ids),
      ids.map((order_id) => ({ order_id, moved: true, order_state_id: 'processing', errors: [] })),
    )
    assert(moves > 16) // Some were retried.
    assert.deepEqual([...(await statesOf(ids)).values()], Array(16).fill('processing'))
    const [history] = await service.sql(
      `select count(*)::int as entries from order_history where order_id = any($1) and state_id = 'processing'`,
      [ids],
    )
    assert.equal(history?.['entries'], 16)
  }
  await service.checkInvariants()
})

test('a move by this request is distinguished from one that happened before and was followed by another', async () => {
  const [fresh = 0, before = 0] = await placeOrders(2)
  await move([before])
  await operators.ok('POST', `/operator/v1/orders/${before}/move/`, { state_id: 'canceled', text: 'Sold out.' })
  for (const cut of ['answer lost', 'statement lost'] as const) {
    moves = 0
    fate = (n) => (n === 1 ? cut : undefined)
    const [result] = await move([before])
    assert.deepEqual([result?.moved, result?.errors[0]?.code], [false, 'order_move_refused'])
    assert.equal(moves, 2)
  }
  moves = 0
  fate = (n) => (n === 1 ? 'answer lost' : undefined)
  assert.deepEqual(await move([fresh]), [{ order_id: fresh, moved: true, order_state_id: 'processing', errors: [] }])
  assert.equal(moves, 2)
  await service.checkInvariants()
})

test('a move by another request with the same X-Request-Id is not taken for its own', async () => {
  const moveAs = async (order_id: number, state_id: string, requestId: string): Promise<MoveResult> => {
    const answer = await service.request('POST', '/operator/v1/orders/move/', {
      key: operators.keys.admin,
      json: { order_ids: [order_id], state_id, ...(state_id === 'canceled' && { text: 'Out of season.' }) },
      headers: { 'x-request-id': requestId },
    })
    return (answer.body.data as MoveResult[])[0] as MoveResult
  }
  for (const cut of ['answer lost', 'statement lost'] as const) {
    const [order_id = 0] = await placeOrders(1)
    fate = () => undefined
    assert.equal((await moveAs(order_id, 'processing', 'nightly-dispatch')).moved, true)
    assert.equal((await moveAs(order_id, 'canceled', 'somebody-else')).moved, true)
    const before = await service.sql('select * from order_history where order_id = $1 order by entry', [order_id])
    moves = 0
    fate = (n) => (n === 1 ? cut : undefined)
    const result = await moveAs(order_id, 'fulfilling', 'nightly-dispatch')
    assert.deepEqual([moves, result.moved, result.errors[0]?.code], [2, false, 'order_move_refused'])
    const after_ = await service.sql('select * from order_history where order_id = $1 order by entry', [order_id])
    assert.deepEqual(after_, before)
  }
  await service.checkInvariants()
})

test('a move whose answer was lost is found even if the order was moved on since', async () => {
  const [order_id = 0] = await placeOrders(1)
  // Somebody else's move commits between the two attempts: as soon as the first one is visible.
  await service.sql(`
    create function move_on() returns trigger language plpgsql as $$
    begin
      update orders set order_state_id = 'fulfilling' where order_id = new.order_id;
      return null;
    end $$;
    create constraint trigger moved_on after insert on order_history deferrable initially deferred
      for each row when (new.state_id = 'processing') execute function move_on()`)
  try {
    fate = (n) => (n === 1 ? 'answer lost' : undefined)
    assert.deepEqual(await move([order_id]), [{ order_id, moved: true, order_state_id: 'processing', errors: [] }])
    assert.deepEqual([...(await statesOf([order_id])).values()], ['fulfilling'])
  } finally {
    await service.sql(`drop function move_on cascade; update orders set order_state_id = 'processing'
      where order_id = ${order_id}`)
  }
})

test('when the database stays unavailable, no order is reported as moved or not moved wrongly', async () => {
  const ids = await placeOrders(80)
  fate = (n) => (n <= 20 ? undefined : n % 2 === 0 ? 'answer lost' : 'statement lost')
  const results = await move(ids)
  const states = await statesOf(ids)
  const count = { moved: 0, not: 0, unknown: 0 }
  for (const [at, { moved, order_state_id, errors }] of results.entries()) {
    const order_id = ids[at] ?? 0
    const codes = errors.map(({ code }) => code)
    if (moved === true) {
      assert.deepEqual([states.get(order_id), order_state_id, codes], ['processing', 'processing', []])
      count.moved++
    } else {
      assert.deepEqual([order_state_id, codes], [null, ['database_unavailable']])
      if (moved === false) assert.equal(states.get(order_id), 'new')
      count[moved === null ? 'unknown' : 'not']++
    }
  }
  assert(count.moved >= 10 && count.unknown >= 1 && count.unknown <= 16 && count.not >= 40, JSON.stringify(count))
  await service.checkInvariants()
})
