import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let me: TestClient

before(async () => {
  service = await startService({ settings: { SHIPPING_DAYS_AHEAD_MAX: '30' } })
  await addFixtures(service)
  me = await addClient(service)
})
after(() => service.close())

const today = Temporal.Now.plainDateISO('UTC')

async function orderFrom(stock_id: number): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1, stock_id })
  return shop.order(cart_id)
}

const reschedule = (order_id: number, shipping_date: string): Promise<Answer> =>
  service.request('PATCH', `/api/v1/orders/${order_id}/`, { key: me.key, form: { shipping_date } })

test('lead time counts open days: two days for a stock that is closed on weekends and on a holiday', async () => {
  // Calculated the slow way: walk day by day and count the days on which the stock is open.
  const isOpen = (day: Temporal.PlainDate): boolean => day.dayOfWeek < 6 && !day.equals(holiday)
  let holiday = today.add({ days: 1 })
  while (holiday.dayOfWeek > 5) holiday = holiday.add({ days: 1 })
  const operators = await makeOperators(service)
  await operators.ok('PUT', `/operator/v1/stocks/2/closures/${holiday.toString()}/`)
  let earliest = today
  for (let open = isOpen(earliest) ? 0 : -1; open < 2;) {
    earliest = earliest.add({ days: 1 })
    if (isOpen(earliest)) open++
  }
  const order_id = await orderFrom(2)
  const refused = await reschedule(order_id, earliest.subtract({ days: 1 }).toString())
  assert.equal(refused.status, 409)
  assert.deepEqual(refused.body.errors[0]?.details, {
    shipping_date: earliest.subtract({ days: 1 }).toString(),
    earliest_date: earliest.toString(),
    latest_date: today.add({ days: 30 }).toString(),
  })
  assert.equal((await reschedule(order_id, earliest.toString())).status, 200)
  await operators.ok('DELETE', `/operator/v1/stocks/2/closures/${holiday.toString()}/`)
  assert.deepEqual(await operators.ok('GET', '/operator/v1/stocks/2/closures/'), [])
  const logged = await operators.ok('GET', '/operator/v1/catalogue-changes/?limit=2')
  assert.deepEqual(
    logged.map(({ changed, data }: { changed: string; data: object }) => [changed, data]),
    [false, true].map((closed) => ['stock', { stock_id: 2, date: holiday.toString(), closed }]),
  )
})

test('yesterday and the 31st day are refused; today and the 30th day are accepted', async () => {
  const order_id = await orderFrom(1)
  for (const [days, status] of [
    [-1, 409],
    [31, 409],
    [0, 200],
    [30, 200],
  ] as const) {
    assert.equal((await reschedule(order_id, today.add({ days }).toString())).status, status, String(days))
  }
})

test('requesting the same day again returns the same response and records nothing', async () => {
  const order_id = await orderFrom(1)
  const first = await reschedule(order_id, today.toString())
  const second = await reschedule(order_id, today.toString())
  assert.equal(first.text, second.text)
  assert.equal(second.body.data.order_history.length, 2)
})

test('a permanently closed stock has no earliest day, and the refusal is immediate', async () => {
  const order_id = await orderFrom(1)
  await service.sql(`insert into stock_closed_days select 1, current_date + n from generate_series(0, 801) n`)
  const answer = await reschedule(order_id, today.add({ days: 3 }).toString())
  assert.deepEqual([answer.status, answer.body.errors[0]?.details?.['earliest_date']], [409, null])
  await service.sql('delete from stock_closed_days where stock_id = 1')
})

test('an order in fulfilling can no longer be rescheduled', async () => {
  const order_id = await orderFrom(1)
  await service.sql(`update orders set order_state_id = 'fulfilling' where order_id = $1`, [order_id])
  const answer = await reschedule(order_id, today.add({ days: 3 }).toString())
  assert.deepEqual(
    [answer.status, answer.body.errors[0]?.code, answer.body.errors[0]?.details],
    [409, 'order_not_reschedulable', { order_id, order_state_id: 'fulfilling' }],
  )
})

test('an operator reschedules by the same rules; the client gets the event, and repeating it records nothing', async () => {
  const operators = await makeOperators(service)
  const shop = shopper(service, me)
  const order_id = await orderFrom(1)
  const day = today.add({ days: 3 }).toString()
  const path = `/operator/v1/orders/${order_id}/reschedule/`
  const rescheduled = await operators.ok('POST', path, { shipping_date: day })
  assert.deepEqual(await operators.ok('POST', path, { shipping_date: day }), rescheduled)
  const shown = await shop.ok('GET', `/api/v1/orders/${order_id}/`)
  assert.deepEqual(
    [shown.order_shipping_datetime, shown.order_history[0].text, shown.order_history.length],
    [`${day} 00:00:00`, day, 2],
  )
  const { event_type, data } = (await shop.ok('GET', '/api/v1/events/')).at(-1)
  assert.deepEqual([event_type, data.order_shipping_datetime], ['order.rescheduled', `${day} 00:00:00`])
})
