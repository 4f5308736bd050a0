import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { register } from 'prom-client'
import { openShedding, urgencies, urgencyOf, type Shedding } from './shedding.ts'
import type { Route } from '../routing/route.ts'
import { clientSideRoutes, operatorSideRoutes } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { startService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'

/** Far above what the event loop of a busy machine is late by. */
const afterMs = { lists: 10_000, others: 20_000, orders: 30_000 }

const examples = {
  lists: ['GET', '/api/v1/orders/?limit=20'],
  others: ['GET', '/api/v1/orders/17/'],
  orders: ['PUT', '/api/v1/orders/'],
} as const

const refused = (shedding: Shedding): string[] =>
  urgencies.filter((urgency) => {
    const [method, url] = examples[urgency]
    return shedding.refuses(method, url)
  })

test('the longer the wait, the more is refused: lists first, orders last; and nothing more once it is gone', async () => {
  let delayMs = 0
  const shedding = openShedding(afterMs, () => ({ reading: 0, writing: delayMs }))
  for (const [delay, expected] of [
    [9_000, []],
    [15_000, ['lists']],
    [25_000, ['lists', 'others']],
    [35_000, ['lists', 'others', 'orders']],
    [0, []],
  ] as const) {
    delayMs = delay
    await sleep(delay === 0 ? 4_000 : 1_500)
    assert.deepEqual(refused(shedding), expected, `${delay} ms`)
  }
  shedding.close()
})

test('a delay of a moment refuses nothing for good: it takes several looks until all are refused', async () => {
  let delayMs = 15_000
  const shedding = openShedding(afterMs, () => ({ reading: delayMs, writing: 0 }))
  await sleep(150)
  delayMs = 0
  const answers = Array.from({ length: 1_000 }, () => refused(shedding).length)
  assert(answers.filter((count) => count > 0).length < 700)
  shedding.close()
})

test('orders are refused only for the queue that they wait in themselves: not for one of those who read', async () => {
  const shedding = openShedding(afterMs, () => ({ reading: 60_000, writing: 0 }))
  await sleep(1_500)
  assert.deepEqual(refused(shedding), ['lists', 'others'])
  shedding.close()
})

test('placing an order is the last to be refused, and every list is among the first', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
  const routes = [
    ...clientSideRoutes(undefined as never, config, undefined as never),
    ...operatorSideRoutes(undefined as never, config, undefined as never, undefined as never),
  ]
  const urgency = ({ method, path }: Pick<Route, 'method' | 'path'>): string | undefined =>
    urgencyOf(method, path.replaceAll(/\{\w+\}/g, '17'))
  const named = (wanted: string | undefined): string[] =>
    routes.filter((route) => urgency(route) === wanted).map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(named('orders'), [
    'PUT /api/v1/orders/',
    'PATCH /operator/v1/keys/{key_id}/',
    'DELETE /operator/v1/keys/{key_id}/',
  ])
  for (const route of routes)
    if (route.paged === true && !route.path.includes('/imports/')) assert.equal(urgency(route), 'lists', route.path)
  assert(named('others').includes('GET /api/v1/carts/{cart_id}/items/'), 'Placing an order needs it.')
  assert(named('others').includes('GET /api/v1/orders/{order_id}/'))
  assert(named(undefined).every((route) => route.includes('/operator/v1/imports/')))
  for (const path of ['/healthz', '/readyz', '/docs/', '/openapi.json', '/', '*', ''])
    assert.equal(urgencyOf('GET', path), undefined)
  for (const path of ['/api/v1/orders', '/api/v1/orders/?a=/17', '/api/v1/orders?'])
    assert.deepEqual(
      [urgencyOf('GET', path), urgencyOf('HEAD', path), urgencyOf('PUT', path)],
      ['lists', 'lists', 'orders'],
    )
})

test('while statements wait behind others, lists are answered with 503 and Retry-After and the rest goes on; soon after, all is as before', async () => {
  const service = await startService({ settings: { SHED_AFTER_MS: '2,60000,60000' } })
  await addFixtures(service)
  const me = await addClient(service)
  const cart_id = await shopper(service, me).createCart()
  const ask = (path: string) => service.request('GET', path, { key: me.key })
  const until = performance.now() + 2_500
  const lists: number[] = []
  await Promise.all(
    Array.from({ length: 96 }, async (_, n) => {
      while (performance.now() < until) {
        const answer = await ask(n < 48 ? '/api/v1/items/' : `/api/v1/carts/${cart_id}/`)
        if (n >= 48) assert.equal(answer.status, 200)
        else lists.push(answer.status)
        if (answer.status === 503)
          assert.deepEqual([answer.headers['retry-after'], answer.body.errors[0]?.code], ['2', 'overloaded'])
      }
    }),
  )
  assert.deepEqual(new Set(lists), new Set([200, 503]))
  assert(lists.filter((status) => status === 503).length > 100)
  assert.match(await register.metrics(), /^parts_shed_requests_total\{urgency="lists"\} \d{3,}/m)
  await sleep(4_000)
  assert.equal((await ask('/api/v1/items/')).status, 200)
  assert(!service.log.some((line) => line.includes('"level":"error"') || line.includes('"status":503')))
  await service.close()
})
