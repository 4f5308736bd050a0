/** Planted violations: the checker finds each of them, and nothing in a history without any. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHistory, violationKinds, type Stored } from './check-history.ts'
import { countAnswer, newHistory, type History, type SeenEvent } from './history.ts'

interface Run {
  history: History
  stored: {
    -readonly [K in keyof Stored]: Stored[K] extends readonly (infer E)[] ? E[] : Map<number, number>
  }
}

const client_id = 2001

const event = (event_number: number, order_id: number): SeenEvent => ({
  client_id,
  event_number,
  event_type: 'order.created',
  order_id,
})

/** Three orders that were placed, read and reported on every way. */
function cleanRun(): Run {
  const history = newHistory()
  const stored: Run['stored'] = { orders: [], carts: [], lastEvents: new Map(), onHand: new Map(), contracts: [] }
  for (const n of [1, 2, 3]) {
    const [order_id, reference, lines] = [80_000 + n, `R-${n}`, [{ item_id: 3, quantity: n }]]
    history.orders.push({
      client_id,
      reference,
      lines,
      sendings: [{ sentAt: 10 * n, endedAt: 10 * n + 5, outcome: '200' }],
      acknowledged: { order_id, at: 10 * n + 5 },
    })
    stored.orders.push({ client_id, order_id, reference, lines })
    history.reads.push({ client_id, order_id, sentAt: 10 * n + 6, state: 'new' })
    for (const way of ['client', 'operator', 'webhook'] as const) history.events[way].push(event(n, order_id))
    countAnswer(history, 'order', '200')
  }
  history.carts.push({ client_id, name: 'Cart', acknowledged: { cart_id: 50_001 } })
  stored.carts.push({ client_id, name: 'Cart' })
  history.cancellations.push({ client_id, order_id: 80_003, acknowledgedAt: 100 })
  history.reads.push({ client_id, order_id: 80_003, sentAt: 101, state: 'zayavka-na-otmen' })
  countAnswer(history, 'order', '503 busy')
  stored.lastEvents.set(client_id, 3)
  stored.onHand.set(3, 6)
  stored.contracts.push({ contract_id: 4_001, limit: 100, exposure: 100 })
  return { history, stored }
}

const check = ({ history, stored }: Run) => checkHistory(history, stored, { allowed: /^503 busy$/ })

test('a run without violations gives none', () => {
  assert.deepEqual(check(cleanRun()), [])
})

test('a repeated delivery of a webhook is no violation, and neither is an order that was refused', () => {
  const run = cleanRun()
  run.history.events.webhook.push(event(2, 80_002))
  run.history.orders.push({ client_id, reference: 'R-4', lines: [], sendings: [], refused: 'stock_insufficient' })
  assert.deepEqual(check(run), [])
})

const planted: Record<(typeof violationKinds)[number], (run: Run) => void> = {
  'lost order': ({ stored }) => void stored.orders.splice(1, 1),
  'doubled order': ({ stored }) => void stored.orders.push({ ...stored.orders[0]!, order_id: 80_009, lines: [] }),
  'wrong order': ({ stored }) =>
    void (stored.orders[0] = { ...stored.orders[0]!, lines: [{ item_id: 3, quantity: 0 }] }),
  'unknown order': ({ stored }) => void stored.orders.push({ client_id, order_id: 80_009, reference: 'X', lines: [] }),
  'doubled cart': ({ stored }) => void stored.carts.push({ client_id, name: 'Cart' }),
  oversold: ({ stored }) => void stored.onHand.set(3, 5),
  'limit exceeded': ({ stored }) => void (stored.contracts[0] = { contract_id: 4_001, limit: 99, exposure: 100 }),
  'missing event': ({ stored }) => void stored.lastEvents.set(client_id, 4),
  'event gap': ({ history }) => void history.events.webhook.splice(1, 1),
  'event out of order': ({ history }) => void history.events.webhook.push(...history.events.webhook.splice(0, 1)),
  'repeated event': ({ history }) => void history.events.operator.push(event(3, 80_003)),
  'stale read': ({ history }) => void history.reads.push({ client_id, order_id: 80_001, sentAt: 16, state: null }),
  'forbidden answer': ({ history }) => countAnswer(history, 'order', '500 internal_error'),
  'order without an end': ({ history }) =>
    void history.orders.push({ client_id, reference: 'R-9', lines: [], sendings: [] }),
}

for (const kind of violationKinds)
  test(`a planted violation is found: ${kind}`, () => {
    const run = cleanRun()
    planted[kind](run)
    const kinds = new Set(check(run).map((violation) => violation.kind))
    assert(kinds.has(kind), `found: ${[...kinds].join(', ') || 'nothing'}`)
    // A gap hides no further violation: only what follows from the same fault may be found with it.
    assert(kinds.size <= 2, [...kinds].join(', '))
  })

test('an order that was acknowledged and stored under another number is found, and one stored after a refusal', () => {
  const run = cleanRun()
  run.stored.orders[0] = { ...run.stored.orders[0]!, order_id: 80_008 }
  run.history.orders[1]!.refused = 'cart_group_changed'
  assert.deepEqual(
    check(run).map(({ kind }) => kind),
    ['wrong order', 'wrong order'],
  )
})

test('a read that shows an order as new after its cancellation was acknowledged is stale; one that began before is not', () => {
  const run = cleanRun()
  run.history.reads.push({ client_id, order_id: 80_003, sentAt: 99, state: 'new' })
  assert.deepEqual(check(run), [])
  run.history.reads.push({ client_id, order_id: 80_003, sentAt: 101, state: 'new' })
  assert.deepEqual(
    check(run).map(({ kind }) => kind),
    ['stale read'],
  )
})
