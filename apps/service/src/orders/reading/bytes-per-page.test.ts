/** Orders may have a thousand lines and 200 history entries. Pages that show all of it end early then, and skip nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bytesPerPageMax } from '../order-goods.ts'
import { orderStates } from '../../vocabulary/order-states.ts'
import type { StateLabels } from '../order.ts'
import { copyOrder } from '../../testing/copy-order.ts'
import { lastEvents } from '../../testing/events.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { readPendingEvents } from '../../webhooks/due/read-pending-events.ts'

const linesOfHalfPage = 1_400

let service: TestService
let operators: Operators
let me: TestClient
/** Newest first, each with half of the bytes of a page. */
let orders: number[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  await service.sql(
    `insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
       item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
     select client_id, order_id, item_id, product_id, product_name, brand_id, brand_name, item_vendor_code,
       item_barcode, item_title, n, order_item_price, order_create_datetime
     from order_items, generate_series(2, $2) n where order_id = $1`,
    [order_id, linesOfHalfPage],
  )
  await copyOrder(service, order_id, 4)
  orders = (await shop.ok('GET', '/api/v1/orders/')).map((order: { order_id: number }) => order.order_id)
})
after(() => service.close())

interface Shown {
  readonly order_id: number
  readonly items: { order_item_quantity: number }[]
}

/** Each page as its list of ids. Every order must have all of its lines, in their order. */
const idsOf = (pages: readonly Shown[][]): number[][] =>
  pages.map((page) =>
    page.map(({ order_id, items }) => {
      assert.deepEqual(
        items.map(({ order_item_quantity }) => order_item_quantity),
        Array.from({ length: linesOfHalfPage }, (_, n) => n + 1),
      )
      return order_id
    }),
  )

test("a page of operators' orders ends after the order that reaches the limit of bytes", async () => {
  const pages: Shown[][] = []
  for (let path: string | undefined = `/operator/v1/orders/?client_id=${me.client_id}`; path !== undefined;) {
    const page = await service.request('GET', path, { key: operators.keys.viewer })
    pages.push(page.body.data)
    path = /^<(.+)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1]
  }
  const [a, b, c, d, e] = orders
  assert.deepEqual(idsOf(pages), [[a, b], [c, d], [e]])
})

test('a page of events ends after the event that reaches the limit of bytes, for clients and operators', async () => {
  const [a, b, c, d, e] = orders.toReversed()
  const expected = [[a, b], [c, d], [e]]
  const read: Shown[][] = []
  for (let number = 1; ;) {
    const { body } = await service.request('GET', `/api/v1/events/?after=${number}`, { key: me.key })
    if (body.data.length === 0) break
    read.push(body.data.map(({ data }: { data: Shown }) => data))
    number = body.data.at(-1).event_number
  }
  assert.deepEqual(idsOf(read), expected)

  await lastEvents(service, operators) // So that no page ends earlier than its bytes require.
  const followed: Shown[][] = []
  for (let query = '?'; followed.flat().length < orders.length;) {
    const { events, next_cursor } = await operators.ok('GET', `/operator/v1/events/${query}`)
    const placed = events.filter(({ event_type }: { event_type: string }) => event_type === 'order.created')
    if (placed.length > 0) followed.push(placed.map(({ data }: { data: Shown }) => data))
    query = `?cursor=${next_cursor}`
  }
  assert.deepEqual(idsOf(followed), expected)
})

test('an endpoint is sent one large order after the other, and none is left out', async () => {
  const stateLabels = Object.fromEntries(orderStates.map(({ state_id, value }) => [state_id, value])) as StateLabels
  const sent: number[] = []
  for (let position = 1; ;) {
    const [pending] = await readPendingEvents({ db: service.db, stateLabels }, [
      { client_id: me.client_id, event_types: [], after_number: position },
    ])
    assert(pending)
    const { events, readTo } = pending
    assert(events.length <= 1)
    if (events.length === 0) break
    for (const { body } of events) sent.push(JSON.parse(await body()).data.order_id)
    position = readTo
  }
  assert.deepEqual(sent, orders.toReversed())
})

test("pages of events and of operators' orders with long histories end by bytes too, without a gap", async () => {
  const other = await addClient(service)
  const shop = shopper(service, other)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shop.order(cart_id)
  await service.sql(
    `with entries as (
       insert into order_history (client_id, order_id, entry, date, "group", state_id, text)
       select client_id, order_id, n, date, "group", state_id, text
       from order_history, generate_series(2, 200) n where order_id = $1 and entry = 1
     ), events as (
       update events set data = data || '{"history_count": 200}' where order_id = $1
     )
     update orders set history_count = 200 where order_id = $1`,
    [order_id],
  )
  await copyOrder(service, order_id, 149)

  const numbers: number[] = []
  let pages = 0
  for (let after = 0; ;) {
    const { body, text } = await service.request('GET', `/api/v1/events/?limit=500&after=${after}`, { key: other.key })
    if (body.data.length === 0) break
    pages++
    assert(text.length < 1.3 * bytesPerPageMax, `${text.length} bytes`)
    numbers.push(...body.data.map(({ event_number }: { event_number: number }) => event_number))
    after = numbers.at(-1) ?? 0
    if (after < 150) assert(text.length > 0.7 * bytesPerPageMax, `${text.length} bytes`)
  }
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, n) => n + 1),
  )
  assert.equal(pages, 4)

  const ids: number[] = []
  for (let path: string | undefined = `/operator/v1/orders/?limit=500&client_id=${other.client_id}`; path;) {
    const { body, text, headers } = await service.request('GET', path, { key: operators.keys.viewer })
    assert(text.length < 1.3 * bytesPerPageMax, `${text.length} bytes`)
    ids.push(...body.data.map((order: Shown) => order.order_id))
    path = /^<(.+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1]
  }
  assert.equal(new Set(ids).size, 150)
  assert.equal(ids.length, 150)

  // A client that knows no pages gets its 500 orders, however long their histories are.
  const list = await service.request('GET', '/api/v1/orders/', { key: other.key })
  assert.equal(list.body.data.length, 150)
})
