/** What the client adds to the API: placing as shown, pages, events and errors, against the real service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ConflictError,
  createClient,
  ExpiredError,
  InvalidRequestError,
  NotFoundError,
  RefusedError,
  UnauthorizedError,
  type CartGroup,
  type PartsClient,
} from '@parts-ordering/client'
import { createOperatorClient } from '@parts-ordering/client/operator'
import { expireEvents } from '../../../apps/service/src/events/expiry/expire-events.ts'
import { addClient, addFixtures, address } from '../../../apps/service/src/testing/fixtures.ts'
import { makeOperators } from '../../../apps/service/src/testing/operators.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'

let service: TestService
let url: string

before(async () => {
  service = await startService()
  await addFixtures(service)
  url = `http://127.0.0.1:${service.port}/`
})
after(() => service.close())

const newClient = async (): Promise<PartsClient> => createClient({ url, key: (await addClient(service)).key })

/** A cart with two of item 1 and three of item 2, as it is shown. */
async function fillCart(client: PartsClient): Promise<{ cart_id: number; group: CartGroup }> {
  const { cart_id } = await client.createCart({ name: 'Spring' })
  await client.addCartItem({ cart_id, item_id: 1, stock_id: 1, quantity: 2 })
  await client.addCartItem({ cart_id, item_id: 2, stock_id: 1, quantity: 3 })
  const [group] = await client.listCartItems({ cart_id, include: 'totals' })
  assert(group)
  return { cart_id, group }
}

test('a group is placed as it was shown, and placing it again returns the same order', async () => {
  const client = await newClient()
  const { group } = await fillCart(client)
  const placed = await client.orders.placeAsShown(group, address, { reference: 'A-1', comment: 'Ring twice' })
  const again = await client.orders.placeAsShown(group, address, { reference: 'A-1', comment: 'Ring twice' })
  assert(placed.placed)
  assert.deepEqual(again, placed)
  const order = await client.orders.read({ order_id: placed.created_order_id, include: ['reference', 'items'] })
  assert.deepEqual(
    [order.order_total, order.reference, order.comment, order.items.length],
    [27.5, 'A-1', 'Ring twice', 2],
  )
})

test('each answer is reported with its request id and headers, and the service sees which client asks', async () => {
  const answers: unknown[] = []
  let agent: unknown
  const client = createClient({
    url,
    key: (await addClient(service)).key,
    onAnswer: ({ operation, status, requestId, headers }) =>
      answers.push([operation, status, requestId !== '' && requestId === headers.get('x-request-id')]),
    fetch: (target, init) => {
      agent = new Headers(init.headers).get('user-agent')
      return fetch(target, init)
    },
  })
  await client.listStocks()
  await client.fetch('GET', '/api/v1/carts/12/').catch(() => undefined)
  await client.request('GET', '/api/v1/contracts/')
  assert.deepEqual(answers, [
    ['listStocks', 200, true],
    ['GET /api/v1/contracts/', 200, true],
  ])
  assert.match(String(agent), /^parts-ordering-client\/\d+\.\d+\.\d+$/)
})

test('a group that has changed is not placed, and the differences are returned', async () => {
  const client = await newClient()
  const { cart_id, group } = await fillCart(client)
  const [first, second] = group.cart_items
  assert(first && second)
  await client.changeQuantity({ cart_id, cart_item_id: first.cart_item_id, quantity: 5 })
  await client.removeCartItem({ cart_id, cart_item_id: second.cart_item_id })
  await client.addCartItem({ cart_id, item_id: 4, stock_id: 1, quantity: 1 })
  const result = await client.orders.placeAsShown(group, address)
  const [now] = await client.listCartItems({ cart_id })
  assert.deepEqual(result, {
    placed: false,
    cart_group_key: now?.cart_group_key,
    changed: ['lines'],
    lines: [
      { item_id: 1, shown: { quantity: 2, price: 10 }, now: { quantity: 5, price: 10 } },
      { item_id: 2, shown: { quantity: 3, price: 2.5 }, now: null },
      { item_id: 4, shown: null, now: { quantity: 1, price: 19.99 } },
    ],
  })
  assert.deepEqual((await client.listOrders()).data, [])
})

test('a list is one page when awaited, and all rows in a loop', async () => {
  const client = await newClient()
  const ids: number[] = []
  for (let n = 0; n < 5; n++) {
    const { group } = await fillCart(client)
    const placed = await client.orders.placeAsShown(group, address)
    assert(placed.placed)
    ids.unshift(placed.created_order_id)
  }
  const page = await client.orders.list({ limit: 2 })
  assert.deepEqual(
    page.data.map(({ order_id }) => order_id),
    ids.slice(0, 2),
  )
  assert(page.next_cursor)
  const next = await client.listOrders({ limit: 2, cursor: page.next_cursor })
  assert.deepEqual(
    next.data.map(({ order_id }) => order_id),
    ids.slice(2, 4),
  )
  const listed: number[] = []
  for await (const { order_id } of client.orders.list({ state: 'new', limit: 2 })) listed.push(order_id)
  assert.deepEqual(listed, ids)
  const few: number[] = []
  for await (const { order_id } of client.orders.list({ state: ['new', 'canceled'], limit: 2 })) {
    few.push(order_id)
    if (few.length === 3) break
  }
  assert.deepEqual(few, ids.slice(0, 3))
})

test('events are followed from a number on, without gaps, and the next ones are waited for', async () => {
  const client = await newClient()
  const stop = new AbortController()
  const numbers: number[] = []
  const types: string[] = []
  const follow = async (): Promise<void> => {
    for await (const event of client.events.follow({ after: 0, limit: 2 }, { signal: stop.signal })) {
      numbers.push(event.event_number)
      types.push(event.event_type)
      if (event.event_type === 'order.created') {
        assert.equal(event.data.order_total, 27.5) // Typed by its event_type.
        if (types.filter((type) => type === 'order.created').length === 3) stop.abort(new Error('enough'))
      }
    }
  }
  const following = follow()
  for (let n = 0; n < 3; n++) {
    const { group } = await fillCart(client)
    await client.orders.placeAsShown(group, address)
  }
  await assert.rejects(following, /enough/)
  assert.deepEqual(numbers, [1, 2, 3, 4])
  assert.deepEqual(types, ['key.issued', 'order.created', 'order.created', 'order.created'])
})

test('following from a number whose events have expired throws ExpiredError with the first number still kept', async () => {
  const me = await addClient(service)
  const client = createClient({ url, key: me.key })
  await service.sql(`update events set event_datetime = now() - interval '91 days'`)
  await service.sql(`update orders set order_create_datetime = now() - interval '91 days'`)
  await Array.fromAsync(expireEvents(service.db, { kept_days: 90 }))
  await assert.rejects(client.events.follow({ after: 0 }).next(), (error) => {
    assert(error instanceof ExpiredError)
    assert.equal(error.code, 'events_expired')
    assert.deepEqual(error.details, { after: 0, first_event_number: 2 })
    return true
  })
})

test("operators follow the events of all clients, batch by batch, and continue from a batch's cursor", async () => {
  const operator = createOperatorClient({ url, key: (await makeOperators(service)).keys.viewer })
  const client = await newClient()
  const { group } = await fillCart(client)
  const placed = await client.orders.placeAsShown(group, address)
  assert(placed.placed)
  let cursor: string | undefined
  for await (const { events, next_cursor } of operator.events.follow({ limit: 3 })) {
    cursor = next_cursor
    assert(events.length <= 3)
    if (events.some(({ order_id }) => order_id === placed.created_order_id)) break
  }
  await client.cancelOrder({ order_id: placed.created_order_id })
  for await (const { events } of operator.events.follow({ cursor })) {
    assert.deepEqual(
      events.map(({ event_type, order_id }) => [event_type, order_id]),
      [['order.state_changed', placed.created_order_id]],
    )
    break
  }
})

test('a refusal is an error of its kind, with code, details, field, status and request id', async () => {
  const client = await newClient()
  await assert.rejects(client.readCart({ cart_id: 1 }), (error) => {
    assert(error instanceof NotFoundError)
    assert(error instanceof RefusedError)
    assert(!(error instanceof ConflictError))
    assert.deepEqual([error.name, error.code, error.status], ['NotFoundError', 'cart_not_found', 404])
    assert.deepEqual(error.details, { cart_id: 1 })
    assert.match(error.message, /cart/)
    assert.match(error.requestId, /./)
    return true
  })
  await assert.rejects(client.createCart({ name: '' }), (error) => {
    assert(error instanceof InvalidRequestError)
    assert.deepEqual([error.code, error.field, error.details], ['field_missing', 'name', {}])
    return true
  })
  const stranger = createClient({ url, key: 'nonsense' })
  await assert.rejects(stranger.listCarts(), UnauthorizedError)
})

test('all errors of a request are listed', async () => {
  const client = await newClient()
  const { cart_id } = await client.createCart({ name: 'Short' })
  await client.addCartItem({ cart_id, item_id: 3, stock_id: 2, quantity: 9 })
  await client.addCartItem({ cart_id, item_id: 1, stock_id: 2, quantity: 21 })
  const [group] = await client.listCartItems({ cart_id })
  assert(group)
  await assert.rejects(client.orders.placeAsShown(group, address), (error) => {
    assert(error instanceof ConflictError)
    assert.equal(error.code, 'out_of_stock')
    assert.deepEqual(
      error.errors.map(({ details }) => details),
      [
        { item_id: 1, stock_id: 2, available: 20, requested: 21 },
        { item_id: 3, stock_id: 2, available: 0, requested: 9 },
      ],
    )
    return true
  })
})

test('request and fetch send anything else', async () => {
  const client = await newClient()
  const cart = await client.request<{ cart_name: string }>('PUT', '/api/v1/carts/', { form: { name: 'By hand' } })
  assert.equal(cart.cart_name, 'By hand')
  const items = await client.request<unknown[]>('GET', '/api/v1/items/', { query: { limit: 2, search: undefined } })
  assert.equal(items.length, 2)
  const found = await Array.fromAsync(client.list<{ item_id: number }>('/api/v1/items/', { limit: 2 }))
  assert.deepEqual(
    found.map(({ item_id }) => item_id),
    (await client.listItems()).data.map(({ item_id }) => item_id),
  )
  assert(found.length > 2)
  const page = await client.fetch('GET', '/openapi.json')
  assert.equal(((await page.json()) as { openapi: string }).openapi.slice(0, 2), '3.')
  await assert.rejects(client.fetch('GET', '/api/v1/nothing/'), NotFoundError)
})

test('a client without an address or a key is refused at once', () => {
  for (const missing of [undefined as unknown as string, '']) {
    assert.throws(() => createClient({ url: missing, key: 'key' }), /^TypeError: url is missing: pass the address/)
    assert.throws(() => createClient({ url, key: missing }), /^TypeError: key is missing: pass an API key\./)
    assert.throws(() => createOperatorClient({ url, key: missing }), /^TypeError: key is missing: pass an API key\./)
  }
  assert.throws(() => createClient({ url: 'parts.example.com', key: 'key' }), /Invalid URL/)
})

test('an operator imports a file from a stream; sent again with the same key, it is the same import', async () => {
  const operator = createOperatorClient({ url, key: (await makeOperators(service)).keys.admin })
  const send = (line: string) =>
    operator.imports.sendFile({
      kind: 'prices',
      type: 'text/csv',
      body: ReadableStream.from([Buffer.from('price_list_id;item_id;price\n'), Buffer.from(`1;1;${line}\n`)]),
      file_name: 'prices.csv',
      import_key: 'november',
      wait: 10,
    })
  const sent = await send('10,5')
  assert.deepEqual(
    [sent.import_state, sent.rows_changed, sent.file_name, sent.import_key],
    ['done', 1, 'prices.csv', 'november'],
  )
  assert.deepEqual(sent.file_format, { encoding: 'utf-8', separator: ';', decimal: 'comma' })
  assert.equal((await send('10,5')).import_id, sent.import_id)
  await assert.rejects(send('11,5'), /^ConflictError: The import_key 'november' was already used for import \d+/)
})

test('a file whose name cannot be shown is imported without it', async () => {
  const operator = createOperatorClient({ url, key: (await makeOperators(service)).keys.admin })
  const body = 'price_list_id,item_id,price\n1,1,10\n'
  const nameOf = async (file_name: string | undefined): Promise<string | null> =>
    (await operator.imports.sendFile({ kind: 'prices', type: 'text/csv', body, file_name, wait: 10 })).file_name
  assert.equal(await nameOf("Preise für 'alle' (neu).csv"), "Preise für 'alle' (neu).csv")
  assert.equal(await nameOf('half\uD83D.csv'), 'half\uFFFD.csv')
  for (const name of [undefined, 'x'.repeat(201), 'prices\u0007.csv', 'prices\u202E.csv'])
    assert.equal(await nameOf(name), null)
})
