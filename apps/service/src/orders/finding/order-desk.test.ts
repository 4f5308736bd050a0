/** A day at the order desk over HTTP: what goes wrong after an order is placed. Figures are calculated by hand. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, address, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let me: TestClient
let shop: ReturnType<typeof shopper>

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  shop = shopper(service, me)
})
after(() => service.close())

/** From stock 2, which has 20 of each, under the contract with 5% discount, 10% tax and a limit of 1,000. */
async function order(...lines: readonly [item_id: number, quantity: number][]): Promise<number> {
  const cart_id = await shop.createCart()
  for (const [item_id, quantity] of lines)
    await shop.add(cart_id, { item_id, quantity, stock_id: 2, contract_id: me.limited_contract_id })
  return shop.order(cart_id)
}

const post = (order_id: number, action: string, json?: object): Promise<Record<string, unknown>> =>
  operators.ok('POST', `/operator/v1/orders/${order_id}/${action}/`, json)

const linesOf = async (order_id: number): Promise<number[]> =>
  (await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).items.map(
    ({ order_item_id }: { order_item_id: number }) => order_item_id,
  )

interface Figures {
  readonly state: string
  readonly total: number
  readonly discount: number
  readonly tax: number
  /** Ordered, shipped and open of each line. */
  readonly lines: readonly [ordered: number, shipped: number, open: number][]
}

async function assertOrder(order_id: number, expected: Figures): Promise<void> {
  const shown = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  assert.deepEqual(
    {
      state: shown.order_state_id,
      total: shown.order_total,
      discount: shown.order_discount,
      tax: shown.order_tax,
      lines: shown.items.map((line: Record<string, number>) => [
        line['order_item_quantity'],
        line['order_item_shipped'],
        line['order_item_open'],
      ]),
    },
    expected,
  )
  await service.checkInvariants()
}

/** On hand and reserved of discs and filters in stock 2, and the exposure of the contract. */
async function assertStock(discs: [number, number], filters: [number, number], exposure: number): Promise<void> {
  const levels: Record<string, number>[] = await operators.ok('GET', '/operator/v1/stock-levels/?stock_id=2')
  const { contracts } = await operators.ok('GET', `/operator/v1/clients/${me.client_id}/`)
  assert.deepEqual(
    [...levels.map(({ on_hand, reserved }) => [on_hand, reserved]), contracts[1].exposure],
    [discs, filters, exposure],
  )
}

test('a short pick, a part shipped and the rest closed, a return, a loss, a wrong move and a wrong cancellation taken back, and an order on the phone', async () => {
  // 10 discs at 10.00 and 4 filters at 2.50; 8 discs.
  const [mixed, discs] = [await order([1, 10], [2, 4]), await order([1, 8])]
  await assertOrder(mixed, { state: 'new', total: 114.95, discount: 5.5, tax: 10.45, lines: [[10, 0, 10], [4, 0, 4]] }) // prettier-ignore
  await assertOrder(discs, { state: 'new', total: 83.6, discount: 4, tax: 7.6, lines: [[8, 0, 8]] })
  await assertStock([20, 18], [20, 4], 198.55)
  const [discLine, filterLine] = await linesOf(mixed)

  // A short pick: one disc is damaged.
  for (const state_id of ['processing', 'fulfilling']) await post(mixed, 'move', { state_id })
  const path = `/operator/v1/orders/${mixed}/items/${discLine}/`
  await operators.ok('PATCH', path, { quantity: 9, reason: 'One is damaged.' })
  await assertOrder(mixed, { state: 'fulfilling', total: 104.5, discount: 5, tax: 9.5, lines: [[9, 0, 9], [4, 0, 4]] }) // prettier-ignore
  await assertStock([20, 17], [20, 4], 188.1)

  // Six discs and all filters leave; the other three will not be delivered.
  await post(mixed, 'shipments', {
    lines: [
      { order_item_id: discLine, quantity: 6 },
      { order_item_id: filterLine, quantity: 4 },
    ],
    carrier: 'DHL',
  })
  await assertOrder(mixed, { state: 'fulfilling', total: 104.5, discount: 5, tax: 9.5, lines: [[9, 6, 3], [4, 4, 0]] }) // prettier-ignore
  await assertStock([14, 11], [16, 0], 188.1)
  await post(mixed, 'close-open', { reason: 'Out of production.' })
  await assertOrder(mixed, { state: 'shipped', total: 73.15, discount: 3.5, tax: 6.65, lines: [[6, 6, 0], [4, 4, 0]] }) // prettier-ignore
  await assertStock([14, 8], [16, 0], 156.75)

  // Two discs come back: goods only, no money.
  const returned = { lines: [{ order_item_id: discLine, quantity: 2 }], reason: 'Does not fit.', restock: true }
  await post(mixed, 'returns', returned)
  await assertOrder(mixed, { state: 'shipped', total: 73.15, discount: 3.5, tax: 6.65, lines: [[6, 6, 0], [4, 4, 0]] }) // prettier-ignore
  await assertStock([16, 8], [16, 0], 156.75)

  // A loss: three of the eight reserved discs are missing, nothing new can be ordered, and an arrival covers them first.
  const level = '/operator/v1/stock-levels/2/1/'
  const counted = await operators.ok('POST', `${level}count/`, { on_hand: 5, reason: 'Damaged by water.' })
  assert.deepEqual([counted.on_hand_before, counted.shortage, counted.available], [16, 3, 0])
  assert.deepEqual(
    counted.affected_orders.map((affected: Record<string, number>) => [affected['order_id'], affected['short']]),
    [[discs, 3]],
  )
  await assert.rejects(order([1, 1]), /out_of_stock/)
  await operators.ok('PUT', level, { on_hand: 12 })
  await assertStock([12, 8], [16, 0], 156.75)

  // On hold nobody moves it. Then a wrong move is taken back, and a wrong cancellation undone.
  await post(discs, 'hold', { reason: 'Payment is overdue.' })
  await assert.rejects(post(discs, 'move', { state_id: 'processing' }), /order_held/)
  await post(discs, 'release')
  await post(discs, 'move', { state_id: 'processing' })
  await post(discs, 'move', { state_id: 'new' })
  await post(discs, 'move', { state_id: 'canceled', text: 'Wrong order.' })
  await assertStock([12, 0], [16, 0], 73.15)
  await post(discs, 'undo-cancellation', { reason: 'Cancelled by mistake.' })
  await assertOrder(discs, { state: 'new', total: 83.6, discount: 4, tax: 7.6, lines: [[8, 0, 8]] })
  await assertStock([12, 8], [16, 0], 156.75)
  await post(discs, 'notes', { text: 'Call before loading.', internal: true })

  const events = await shop.ok('GET', '/api/v1/events/?limit=100&after=0')
  assert.deepEqual(
    events
      .filter(({ event_type }: { event_type: string }) => event_type.startsWith('order.'))
      .map(({ event_type, data }: { event_type: string; data: { order_id: number } }) =>
        [event_type, data.order_id === mixed ? 'mixed' : 'discs'].join(' '),
      ),
    [
      'order.created mixed',
      'order.created discs',
      'order.state_changed mixed',
      'order.state_changed mixed',
      'order.items_changed mixed',
      'order.shipped mixed',
      'order.items_changed mixed',
      'order.state_changed mixed',
      'order.returned mixed',
      'order.held discs',
      'order.released discs',
      'order.state_changed discs',
      'order.state_changed discs',
      'order.state_changed discs',
      'order.state_changed discs',
    ],
  )
  const { order_history, notes } = await operators.ok('GET', `/operator/v1/orders/${discs}/`)
  assert.deepEqual(
    order_history.map(({ group, state_id, text }: Record<string, string>) => [group, state_id, text].join(' | ')),
    [
      'Change of status | new | Cancelled by mistake.',
      'Change of status | canceled | Wrong order.',
      'Change of status | new | ',
      'Change of status | processing | ',
      'Release | new | ',
      'Hold | new | Payment is overdue.',
      'Change of status | new | ',
    ],
  )
  assert.deepEqual(
    notes.map(({ note_text }: { note_text: string }) => note_text),
    ['Call before loading.'],
  )
  const log: Record<string, unknown>[] = await operators.ok('GET', `/operator/v1/log/?order_id=${mixed}&limit=100`)
  assert.deepEqual(
    log.map(({ event_type }) => event_type),
    [
      'order.returned',
      'order.state_changed',
      'order.items_changed',
      'order.shipped',
      'order.items_changed',
      'order.state_changed',
      'order.state_changed',
      'order.created',
    ],
  )

  // The client calls: two discs and four filters. It hears the total first, and the repeated request orders once.
  const phoned = {
    stock_id: 2,
    contract_id: me.limited_contract_id,
    lines: [
      { article: 'bn280v', quantity: 2 },
      { article: 'FW-2', quantity: 4 },
    ],
    ...address,
    reference: 'Phone 1',
  }
  const orders = `/operator/v1/clients/${me.client_id}/orders/`
  const quoted = await operators.ok('POST', orders, { ...phoned, dry_run: true })
  assert.deepEqual(
    [quoted.goods, quoted.order_discount, quoted.order_tax, quoted.order_total, quoted.limit_left_after],
    [30, 1.5, 2.85, 31.35, 811.9],
  )
  await assertStock([12, 8], [16, 0], 156.75)
  const sent = { key: operators.keys.decider, json: { ...phoned, expected_total: 31.35 } }
  const headers = { 'idempotency-key': 'phone-1' }
  const first = await service.request('POST', orders, { ...sent, headers })
  const second = await service.request('POST', orders, { ...sent, headers })
  assert.deepEqual([first.status, second.text], [200, first.text])
  const { created_order_id } = first.body.data
  await assertOrder(created_order_id, { state: 'new', total: 31.35, discount: 1.5, tax: 2.85, lines: [[2, 0, 2], [4, 0, 4]] }) // prettier-ignore
  await assertStock([12, 10], [16, 4], 188.1)
  const [created] = await operators.ok('GET', `/operator/v1/log/?order_id=${created_order_id}&limit=1`)
  assert.match(created.actor, new RegExp(`, Test decider, for client ${me.client_id}$`))
  const seen = await shop.ok('GET', `/api/v1/orders/${created_order_id}/?include=reference`)
  assert.deepEqual(
    [seen.reference, seen.order_history[0].text],
    ['Phone 1', 'Ordered by the distributor for the client.'],
  )
})
