import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { copyOrder } from '../testing/copy-order.ts'
import { addClient, addFixtures, shopper } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { countFigures } from './count-figures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  const shop = shopper(service, await addClient(service))
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1, stock_id: 1 })
  await copyOrder(service, await shop.order(cart_id), 9)
})
after(() => service.close())
beforeEach(() => service.sql('delete from daily_figures'))

const read = () => operators.ok('GET', '/operator/v1/figures/')
async function count(): Promise<number> {
  let handled = 0
  for await (const rows of countFigures(service.db)) handled += rows
  return handled
}

test('before the first count there are no figures; then each of 30 days has its own', async () => {
  assert.deepEqual(await read(), { days: [], open: [], counted_at: null })
  // One order 2 days ago, shipped 36 hours later; two 31 days ago, which are not shown; seven today, one of them in part
  // shipped.
  await service.sql(
    `update orders set order_create_datetime = (current_date - 2) + time '06:00',
       order_shipped_datetime = (current_date - 1) + time '18:00', order_state_id = 'shipped'
     where order_id = (select min(order_id) from orders)`,
  )
  await service.sql(
    `update orders set order_shipped_datetime = now(), order_state_id = 'fulfilling'
     where order_id = (select order_id from orders order by order_id offset 1 limit 1)`,
  )
  await service.sql(
    `update orders set order_create_datetime = now() - interval '31 days'
     where order_id in (select order_id from orders order by order_id desc limit 2)`,
  )
  assert.equal(await count(), 30 + 4)
  const { days, open, counted_at } = await read()
  assert.equal(days.length, 30)
  const of = (back: number) => {
    const { date: _, ...figures } = days[29 - back]
    return figures
  }
  assert.deepEqual(of(2), { placed: 1, shipped: 0, ship_hours: null })
  assert.deepEqual(of(1), { placed: 0, shipped: 1, ship_hours: 36 })
  assert.deepEqual(of(0), { placed: 7, shipped: 0, ship_hours: null })
  assert.equal(days[29].date, new Date().toISOString().slice(0, 10))
  assert.match(counted_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  const [{ total }] = (await service.sql(
    `select round(sum(order_total * order_rate), 2)::float as total from orders where order_state_id = 'new'`,
  )) as [{ total: number }]
  assert(total > 0)
  assert.deepEqual(open[0], { state_id: 'new', count: 8, total, more: false })
})

test('a day is counted again until an hour after its end, at most every 5 minutes, and then never', async () => {
  await count()
  assert.equal(await count(), 4) // Only what is open.
  await service.sql(`update daily_figures set placed = 77, counted_at = counted_at - interval '6 minutes'
    where day >= current_date - 3`)
  await service.sql(`update daily_figures set counted_at = day + 1 + time '00:59' where day = current_date - 2`)
  await service.sql(`update daily_figures set counted_at = day + 1 + time '01:01' where day = current_date - 3`)
  await count()
  const { days } = await read()
  assert.notEqual(days[29].placed, 77)
  assert.notEqual(days[27].placed, 77)
  assert.equal(days[26].placed, 77)
})

test('two runs at the same time count every day once, or twice with the same figures', async () => {
  await Promise.all([count(), count(), count()])
  const rows = await service.sql('select count(*)::int as days, sum(placed)::int as placed from daily_figures')
  assert.deepEqual(rows, [{ days: 30, placed: 8 }])
})
