/** An operation is one call of the database (decision 1): one statement, which may call a function. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from './app.ts'
import { readConfig } from './config.ts'
import type { Route } from './http/routing/route.ts'
import { orderIncludes } from './orders/order-details.ts'
import { operatorRouteCases, routeCases } from './route-cases.ts'
import { sendAsOperator, makeOperators, makeOperatorWorld } from './testing/operators.ts'
import { adjustment, order } from './testing/orders.ts'
import { makeWorld, day } from './testing/world.ts'
import { startService, type Answer, type TestService } from './testing/service.ts'
import { countStatements, type StatementCounter } from './testing/statement-counter.ts'
import { addFixtures } from './testing/fixtures.ts'

let service: TestService
let counter: StatementCounter
const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
const routes = clientSideRoutes({ config } as FeatureParts)
const withoutDatabase = ['GET /api/v1/countries/', 'GET /api/v1/regions/', 'GET /api/v1/order-states/']

before(async () => {
  service = await startService({
    through: async (url) => {
      counter = await countStatements(url)
      return counter.url
    },
  })
  await addFixtures(service)
})
after(async () => {
  await service.close()
  counter.close()
})

/** A process reads the keys that it knows again at intervals, independently of requests. */
const readingKeys = [
  'find-client-key',
  'changed-client-keys',
  'find-operator-key',
  'changed-operator-keys',
  'changed-sessions',
]
const taken = (): string[] => counter.take().filter((name) => !readingKeys.includes(name))

for (const { method, path } of routes) {
  test(`${method} ${path} is one call on success`, async () => {
    const world = await makeWorld(service)
    const cases = routeCases[`${method} ${path}`]
    assert(cases, 'The route has no cases in its routes.cases.ts.')
    const { data: _, ...request } = await cases.success(world)
    await world.shop.ok('GET', '/api/v1/countries/') // Fills the cache of keys.
    taken()
    const answer = await service.request(method, request.path, { ...request, key: world.me.key })
    assert.equal(answer.status, 200)
    assert.equal(taken().length, withoutDatabase.includes(`${method} ${path}`) ? 0 : 1)
  })
}

for (const { method, path, query } of routes) {
  const included = (query?.['include']?.schema as { items?: { enum: readonly string[] } } | undefined)?.items?.enum
  if (included === undefined) continue
  test(`${method} ${path} with everything that it can include is one call`, async () => {
    const world = await makeWorld(service)
    const { path: plain } = (await routeCases[`${method} ${path}`]?.success(world)) ?? assert.fail()
    await world.shop.ok('GET', '/api/v1/countries/')
    taken()
    await world.shop.ok(method, `${plain}${plain.includes('?') ? '&' : '?'}include=${included.join(',')}`)
    assert.equal(taken().length, 1)
  })
}

test('reading and listing orders with everything included is one call', async () => {
  const world = await makeWorld(service)
  const { order_id } = await order(world)
  const include = `include=${orderIncludes.join()}`
  taken()
  for (const query of [`${order_id}/?${include}`, `?${include}&state=new,processing&reference=PO-1`, `?${include}`]) {
    await world.shop.ok('GET', `/api/v1/orders/${query}`)
    assert.equal(taken().length, 1, query)
  }
})

for (const { method, path } of routes.filter(({ takesIdempotencyKey }) => takesIdempotencyKey)) {
  test(`${method} ${path} with an Idempotency-Key is one call, and two when it is repeated`, async () => {
    const world = await makeWorld(service)
    const { data: _, ...request } = (await routeCases[`${method} ${path}`]?.success(world)) ?? assert.fail()
    const send = (): Promise<Answer> =>
      service.request(method, request.path, { ...request, key: world.me.key, headers: { 'idempotency-key': 'once' } })
    await world.shop.ok('GET', '/api/v1/countries/')
    taken()
    const first = await send()
    assert.deepEqual([first.status, taken().length], [200, 1])
    assert.equal((await send()).text, first.text)
    const finds = path.includes('/return-requests/') ? [] : ['find-earlier-answer'] // Its function finds it.
    assert.deepEqual(taken().slice(1), finds)
  })
}

/**
 * These need none or several: who is calling is known already; a key's or a session's id is drawn first, since it is a
 * part of the key; orders are moved one by one; an import is read for the answer.
 */
const severalCalls: Record<string, string[]> = {
  'GET /operator/v1/me/': [],
  'POST /operator/v1/sessions/': ['draw-session-id', 'start-session'],
  'POST /operator/v1/imports/{import_id}/stop/': ['stop-import', 'read-import'],
  'POST /operator/v1/imports/{import_id}/undo/': ['read-import', 'undo-prices', 'read-import'],
  'POST /operator/v1/operator-keys/': ['draw-operator-key-id', 'issue-operator-key'],
  'POST /operator/v1/clients/{client_id}/keys/': ['draw-client-key-id', 'issue-client-key'],
  'POST /operator/v1/orders/move/': ['move-order', 'move-order', 'move-order'],
}

const operatorRoutes = operatorSideRoutes({ config } as FeatureParts)
const isImport = (route: Route): boolean => route.rows !== undefined // In batches; the number depends on the time, too.

for (const { method, path } of operatorRoutes.filter((route) => !isImport(route))) {
  const expected = severalCalls[`${method} ${path}`]
  test(`${method} ${path} is ${expected?.length ?? 'one'} call(s) on success`, async () => {
    const operators = await makeOperators(service)
    const cases = operatorRouteCases[`${method} ${path}`]
    assert(cases)
    const { data: _, ...request } = await cases.success(await makeOperatorWorld(service, operators))
    const withoutWait = request.path.replace(/wait=\d+&/, '') // A waiting reader repeats its statement until there is an event.
    taken()
    const answer = await sendAsOperator(service, method, { ...request, path: withoutWait }, operators.keys.admin)
    assert.equal(answer.status, 200)
    const sent = taken()
    if (expected === undefined) assert.equal(sent.length, 1, sent.join(', '))
    else assert.deepEqual(sent.toSorted(), expected.toSorted())
  })
}

test('adding 1,000 rows is one call, good or bad, and as many as one row when it is refused or repeated', async () => {
  const { shop, me } = await makeWorld(service)
  const cart_id = await shop.createCart()
  const send = async (rows: object[], query = '', cart = cart_id, headers = {}): Promise<string[]> => {
    taken()
    await service.request('PUT', `/api/v1/carts/${cart}/items/bulk/?stock_id=1${query}`, {
      key: me.key,
      json: rows,
      headers,
    })
    return taken()
  }
  const rows = (count: number): object[] =>
    Array.from({ length: count }, (_, n) => ({ item_id: 1 + (n % 6), quantity: 1 }))
  await send(rows(1)) // Fills the cache of keys.
  for (const count of [1, 1000]) {
    assert.deepEqual(await send(rows(count)), ['add-cart-items'])
    assert.deepEqual(await send(rows(count), '&dry_run=true'), ['add-cart-items'])
    assert.deepEqual(await send([...rows(count).slice(1), {}], '&mode=all'), ['add-cart-items'])
    assert.deepEqual(await send(rows(count), '', 404), ['add-cart-items', 'read-cart'])
    const key = { 'idempotency-key': `rows ${count}`.replace(' ', '-') }
    assert.deepEqual(await send(rows(count), '', cart_id, key), ['add-cart-items'])
    assert.deepEqual(await send(rows(count), '', cart_id, key), ['add-cart-items', 'find-earlier-answer'])
  }
  await service.checkInvariants()
})

test('a repeated cancellation, rescheduling, adjustment or withdrawal that changes nothing is one call', async () => {
  const { shop, me } = await makeWorld(service)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  const order_id = await shop.order(cart_id)
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  const linePath = `/api/v1/orders/${order_id}/items/${line.order_item_id}/`
  const { adjustment_id } = await shop.ok('PATCH', linePath, { quantity: 2 })
  const requests = [
    ['PATCH', `/api/v1/orders/${order_id}/`, { shipping_date: day(3) }],
    ['DELETE', `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`, undefined],
    ['PATCH', linePath, { quantity: 1 }],
    ['DELETE', `/api/v1/orders/${order_id}/`, undefined],
  ] as const
  for (const [method, path, form] of requests) {
    const send = async () => service.request(method, path, { key: me.key, ...(form ? { form } : {}) })
    const first = await send()
    taken()
    const second = await send()
    assert.equal(taken().length, 1)
    assert.equal(second.text, first.text)
  }
  await service.checkInvariants()
})

test('asking for the current quantity, which withdraws the open adjustment, is one call', async () => {
  const world = await makeWorld(service)
  const { order_id, order_item_id } = await adjustment(world)
  taken()
  await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 3 })
  assert.deepEqual(taken(), ['request-adjustment'])
})

test('what a function refuses is one call', async () => {
  const { me } = await makeWorld(service)
  await service.request('GET', '/api/v1/countries/', { key: me.key })
  taken()
  const answer = await service.request('DELETE', '/api/v1/orders/1/', { key: me.key })
  assert.deepEqual([answer.status, taken()], [404, ['cancel-order']])
})

test('the counter counts: another refusal sends the statement and its explanation', async () => {
  const { me } = await makeWorld(service)
  await service.request('GET', '/api/v1/countries/', { key: me.key })
  taken()
  const form = { item_id: 1, stock_id: 1, quantity: 1 }
  await service.request('PUT', '/api/v1/carts/1/items/', { key: me.key, form })
  assert.deepEqual(taken().length, 2)
})
