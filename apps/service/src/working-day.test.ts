/** A day of a new distributor and its first dealer, over HTTP, in an empty database; figures are calculated by hand. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { archiveOrders } from './orders/moving/archive-orders.ts'
import { eventsAfter, lastEvents } from './testing/events.ts'
import { makeOperators, type Operators } from './testing/operators.ts'
import { day } from './testing/world.ts'
import { startService, type TestService } from './testing/service.ts'
import { shopper } from './testing/fixtures.ts'

let service: TestService
let operators: Operators
let operator: Operators['ok']
let start: string

before(async () => {
  service = await startService()
  operators = await makeOperators(service)
  operator = operators.ok
  start = (await lastEvents(service, operators)).next_cursor
})
after(() => service.close())

/** Imports a file and returns how many rows were added. */
async function imported(kind: string, ...lines: string[]): Promise<number> {
  const answer = await service.request('POST', `/operator/v1/imports/${kind}/`, {
    key: operators.keys.cataloguer,
    body: lines.join('\n'),
    headers: { 'content-type': 'text/csv' },
  })
  assert.equal(answer.body.data?.import_state, 'done', answer.text)
  return answer.body.data.rows_added as number
}

test('from an empty catalogue to an archived order, every state, total, stock figure, exposure and event is right', async () => {
  await operator('PUT', '/operator/v1/currencies/EUR/', { minor_digits: 2, rate: 1 })
  await operator('PUT', '/operator/v1/price-lists/1/', { price_list_name: 'Dealer prices', currency_code: 'EUR' })
  await operator('PUT', '/operator/v1/stocks/1/', { stock_name: 'Berlin' })
  const items = await imported(
    'items',
    'item_id,item_vendor_code,item_barcode,item_title,brand_name,product_id',
    '1,BN-280-V,4006381333931,"Brake disc, front 280 mm vented",Bremsen Nord,11',
    '2,FW-2,4006381333948,Oil filter F2,Filterwerk,12',
  )
  const prices = await imported('prices', 'price_list_id,item_id,price', '1,1,10', '1,2,2.50')
  const levels = await imported('stock-levels', 'stock_id,item_id,on_hand', '1,1,10000', '1,2,1000000')
  assert.deepEqual([items, prices, levels], [2, 2, 2])

  const { client_id } = await operator('POST', '/operator/v1/clients/', {
    client_name: 'Autohaus Lindner',
    contact_name: 'Karl Lindner',
    contract_name: 'Supply contract',
    contract_limit: 1000,
    price_list_id: 1,
    discount_percent: 5,
    tax_mode: 'added',
    tax_percent: 10,
    stock_ids: [1],
  })
  const { contacts } = await operator('GET', `/operator/v1/clients/${client_id}/`)
  const { key } = await operator('POST', `/operator/v1/clients/${client_id}/keys/`, {
    contact_id: contacts[0].contact_id,
  })
  const shop = shopper(service, { key })
  const order = async (item_id: number, quantity: number): Promise<number> => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id, quantity })
    return shop.order(cart_id)
  }
  const lineOf = async (order_id: number): Promise<string> =>
    `/api/v1/orders/${order_id}/items/${(await shop.ok('GET', `/api/v1/orders/${order_id}/items/`))[0].order_item_id}/`
  const decide = (path: string, message?: string): Promise<unknown> =>
    operator('POST', `/operator/v1/${path}/`, message === undefined ? undefined : { message })

  // Goods less 5%, plus 10%: discs 10 × 10.00, filters 4 × 2.50, discs 20 × 10.00.
  const [discs, filters, more] = [await order(1, 10), await order(2, 4), await order(1, 20)]
  await assertOrder(discs, { state: 'new', total: 104.5, discount: 5, tax: 9.5 })
  await assertOrder(filters, { state: 'new', total: 10.45, discount: 0.5, tax: 0.95 })
  await assertOrder(more, { state: 'new', total: 209, discount: 10, tax: 19 })
  await assertStockAndExposure(client_id, { discs: [10_000, 30], filters: [1_000_000, 4], exposure: 323.95 })

  // Two adjustments: 12 discs are accepted, 8 filters are rejected.
  const accepted = await shop.ok('PATCH', await lineOf(discs), { quantity: 12 })
  const rejected = await shop.ok('PATCH', await lineOf(filters), { quantity: 8 })
  const waiting = await operator('GET', '/operator/v1/inbox/')
  assert.deepEqual(
    waiting.map(({ adjustment_id, contract, decisions }: Record<string, unknown>) => ({
      adjustment_id,
      contract,
      decisions,
    })),
    [
      [accepted.adjustment_id, 20.9],
      [rejected.adjustment_id, 10.45],
    ].map(([adjustment_id, change]) => ({
      adjustment_id,
      contract: { contract_id: waiting[0].contract.contract_id, limit: 1000, used: 323.95, change },
      decisions: ['accept', 'reject'],
    })),
  )
  await decide(`adjustments/${accepted.adjustment_id}/accept`)
  await decide(`adjustments/${rejected.adjustment_id}/reject`, 'Not in this box.')
  await assertOrder(discs, { state: 'new', total: 125.4, discount: 6, tax: 11.4 })
  await assertOrder(filters, { state: 'new', total: 10.45, discount: 0.5, tax: 0.95 })
  await assertStockAndExposure(client_id, { discs: [10_000, 32], filters: [1_000_000, 4], exposure: 344.85 })

  // A new date, and two cancellations: the one of the filters is accepted, the one of the 20 discs is rejected.
  await shop.ok('PATCH', `/api/v1/orders/${more}/`, { shipping_date: day(5) })
  await shop.ok('DELETE', `/api/v1/orders/${filters}/`)
  await shop.ok('DELETE', `/api/v1/orders/${more}/`)
  await decide(`orders/${filters}/cancellation/accept`)
  await decide(`orders/${more}/cancellation/reject`, 'Already packed.')
  await assertOrder(filters, { state: 'canceled', total: 10.45, discount: 0.5, tax: 0.95 })
  await assertOrder(more, { state: 'new', total: 209, discount: 10, tax: 19 })
  await assertStockAndExposure(client_id, { discs: [10_000, 32], filters: [1_000_000, 0], exposure: 334.4 })
  assert.deepEqual(await operator('GET', '/operator/v1/inbox/'), [])

  // Shipping removes the discs from the stock; completing removes the order from the exposure.
  for (const state_id of ['processing', 'fulfilling', 'shipped'])
    await operator('POST', `/operator/v1/orders/${discs}/move/`, { state_id })
  await assertStockAndExposure(client_id, { discs: [9_988, 20], filters: [1_000_000, 0], exposure: 334.4 })
  await operator('POST', `/operator/v1/orders/${discs}/move/`, { state_id: 'completed' })
  await assertOrder(discs, { state: 'completed', total: 125.4, discount: 6, tax: 11.4 })
  await assertStockAndExposure(client_id, { discs: [9_988, 20], filters: [1_000_000, 0], exposure: 209 })

  // With an age of 0 days, completed and cancelled orders are archived and otherwise unchanged.
  const archived = await Array.fromAsync(archiveOrders(service.db, { after_days: 0, request_id: 'worker-1' }))
  assert.deepEqual(archived, [2])
  await assertOrder(discs, { state: 'completed', total: 125.4, discount: 6, tax: 11.4 })
  await assertOrder(filters, { state: 'canceled', total: 10.45, discount: 0.5, tax: 0.95 })
  await assertStockAndExposure(client_id, { discs: [9_988, 20], filters: [1_000_000, 0], exposure: 209 })

  const history = (await operator('GET', `/operator/v1/orders/${discs}/`)).order_history as Record<string, string>[]
  assert.deepEqual(
    history.map(({ group, state_id, text }) => [group, state_id, text].join(' | ')),
    [
      'Change of status | completed | ',
      'Change of status | shipped | ',
      'Change of status | fulfilling | ',
      'Change of status | processing | ',
      'Change of items | new | BN-280-V: 10 → 12',
      'Change of status | new | ',
    ],
  )

  const events = await eventsAfter<Record<string, unknown>>(operators, start, 21)
  assert.deepEqual(
    events.map(({ client_id: whose, event_number, event_type, order_id }) =>
      [whose === client_id, event_number, event_type, order_id].join(' '),
    ),
    [
      ['client.created', null],
      ['key.issued', null],
      ['order.created', discs],
      ['order.created', filters],
      ['order.created', more],
      ['adjustment.created', discs],
      ['adjustment.created', filters],
      ['order.items_changed', discs],
      ['adjustment.decided', discs],
      ['adjustment.decided', filters],
      ['order.rescheduled', more],
      ['order.state_changed', filters],
      ['order.state_changed', more],
      ['order.state_changed', filters],
      ['order.state_changed', more],
      ['order.state_changed', discs],
      ['order.state_changed', discs],
      ['order.shipped', discs],
      ['order.state_changed', discs],
      ['order.state_changed', discs],
      ['order.archived', discs],
      ['order.archived', filters],
    ].map(([type, order_id], n) => [true, n + 1, type, order_id].join(' ')),
  )
  await service.checkInvariants()
})

async function assertOrder(
  order_id: number,
  expected: { state: string; total: number; discount: number; tax: number },
): Promise<void> {
  const shown = await operator('GET', `/operator/v1/orders/${order_id}/`)
  const { order_state_id: state, order_total: total, order_discount: discount, order_tax: tax } = shown
  assert.deepEqual({ state, total, discount, tax }, expected)
}

/** On hand and reserved of both items, and the contract's exposure. */
async function assertStockAndExposure(
  client_id: number,
  expected: { discs: [number, number]; filters: [number, number]; exposure: number },
): Promise<void> {
  const levels: Record<string, number>[] = await operator('GET', '/operator/v1/stock-levels/?stock_id=1')
  const [discs, filters] = levels.map(({ on_hand, reserved }) => [on_hand, reserved])
  const { contracts } = await operator('GET', `/operator/v1/clients/${client_id}/`)
  assert.deepEqual({ discs, filters, exposure: contracts[0].exposure }, expected)
}
