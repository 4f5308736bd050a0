import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clientSideRoutes, operatorSideRoutes } from './app.ts'
import { readConfig } from './config.ts'
import { operatorRouteCases, routeCases } from './route-cases.ts'
import { sendAsOperator, makeOperators, makeOperatorWorld } from './testing/operators.ts'
import { makeWorld, day } from './testing/world.ts'
import { startService, type Answer, type TestService } from './testing/service.ts'
import { countStatements, type StatementCounter } from './testing/statement-counter.ts'
import { addFixtures } from './testing/fixtures.ts'

let service: TestService
let counter: StatementCounter
const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
const routes = clientSideRoutes(undefined as never, config, undefined as never)
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
const readingKeys = ['find-client-key', 'changed-client-keys', 'find-operator-key', 'changed-operator-keys']
const taken = (): string[] => counter.take().filter((name) => !readingKeys.includes(name))

for (const { method, path } of routes) {
  test(`${method} ${path} sends one statement on success`, async () => {
    const world = await makeWorld(service)
    const cases = routeCases[`${method} ${path}`]
    assert(cases)
    const { data: _, ...request } = await cases.success(world)
    await world.shop.ok('GET', '/api/v1/countries/') // Fills the cache of keys.
    taken()
    const answer = await service.request(method, request.path, {
      key: world.me.key,
      ...(request.form ? { form: request.form } : {}),
    })
    assert.equal(answer.status, 200)
    assert.equal(taken().length, withoutDatabase.includes(`${method} ${path}`) ? 0 : 1)
  })
}

for (const { method, path } of routes.filter(({ takesIdempotencyKey }) => takesIdempotencyKey)) {
  test(`${method} ${path} with an Idempotency-Key sends one statement, and two when it is repeated`, async () => {
    const world = await makeWorld(service)
    const { data: _, ...request } = (await routeCases[`${method} ${path}`]?.success(world)) ?? assert.fail()
    const send = (): Promise<Answer> =>
      service.request(method, request.path, { ...request, key: world.me.key, headers: { 'idempotency-key': 'once' } })
    await world.shop.ok('GET', '/api/v1/countries/')
    taken()
    const first = await send()
    assert.deepEqual([first.status, taken().length], [200, 1])
    assert.equal((await send()).text, first.text)
    assert.deepEqual(taken().slice(1), ['find-earlier-answer'])
  })
}

/**
 * These need several: a key's id is drawn first, since it is a part of the key, and orders are moved one by one.
 * Imports and the invariants use connections of their own, which are not counted here.
 */
const severalStatements: Record<string, string[]> = {
  'POST /operator/v1/operator-keys/': ['draw-operator-key-id', 'issue-operator-key'],
  'POST /operator/v1/clients/{client_id}/keys/': ['draw-client-key-id', 'issue-client-key'],
  'GET /operator/v1/invariants/': [],
  'POST /operator/v1/imports/items/': [],
  'POST /operator/v1/imports/prices/': [],
  'POST /operator/v1/imports/stock-levels/': [],
  'POST /operator/v1/orders/move/': ['move-order', 'move-order', 'move-order', 'explain-move', 'explain-move'],
}

for (const { method, path } of operatorSideRoutes(undefined as never, config, undefined as never, undefined as never)) {
  const expected = severalStatements[`${method} ${path}`]
  test(`${method} ${path} sends ${expected?.length ?? 'one'} statement(s) on success`, async () => {
    const operators = await makeOperators(service)
    const cases = operatorRouteCases[`${method} ${path}`]
    assert(cases)
    const { data: _, ...request } = await cases.success(await makeOperatorWorld(service, operators))
    const withoutWait = request.path.replace(/wait=\d+&/, '') // A waiting reader repeats its statement until there is an event.
    taken()
    const answer = await sendAsOperator(service, method, { ...request, path: withoutWait }, operators.keys.admin)
    assert.equal(answer.status, 200)
    const sent = taken()
    if (expected === undefined) assert.equal(sent.length, 1)
    else assert.deepEqual(sent.toSorted(), expected.toSorted())
  })
}

test('a repeated cancellation, rescheduling or adjustment that changes nothing sends one statement', async () => {
  const { shop, me } = await makeWorld(service)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3 })
  const order_id = await shop.order(cart_id)
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  const requests = [
    ['PATCH', `/api/v1/orders/${order_id}/`, { shipping_date: day(3) }],
    ['PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity: 1 }],
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

test('the counter counts: a refusal sends the statement and its explanation', async () => {
  const { me } = await makeWorld(service)
  await service.request('GET', '/api/v1/countries/', { key: me.key })
  taken()
  await service.request('DELETE', '/api/v1/orders/1/', { key: me.key })
  assert.deepEqual(taken(), ['cancel-order', 'state-of-order'])
})
