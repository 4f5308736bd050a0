import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openShedding, urgencies, urgencyMatcher, type DatabaseLoad, type Shedding } from './shedding.ts'
import type { Route } from '../routing/route.ts'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { metricValue } from '../../testing/metrics.ts'
import { startService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'

const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
const routes = [...clientSideRoutes({ config } as FeatureParts), ...operatorSideRoutes({ config } as FeatureParts)]

const afterMs = { lists: 10_000, others: 20_000, orders: 30_000 }

const examples = {
  lists: ['GET', '/api/v1/orders/?limit=20'],
  others: ['GET', '/api/v1/orders/17/'],
  orders: ['PUT', '/api/v1/orders/'],
} as const

type Wait = ReturnType<DatabaseLoad['waitMs']>

/** Samples come from a mocked timer, so that a slow machine takes as many as a fast one. */
function openMocked(t: TestContext, waitMs: () => Wait): Shedding {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const causedBy: DatabaseLoad['causedBy'] = ({ authorization }) => (authorization === 'heavy' ? 0.5 : 0.1)
  const shedding = openShedding(afterMs, { waitMs, causedBy })
  shedding.cover(routes)
  t.after(() => shedding.close())
  return shedding
}

const refused = (shedding: Shedding, authorization = 'light'): string[] =>
  urgencies.filter((urgency) => {
    const [method, url] = examples[urgency]
    return shedding.refuses({ method, url, headers: { authorization } })
  })

/** Samples the wait as often as the time says. Between the samples, each of the clients sends one request of each urgency. */
function pass(t: TestContext, shedding: Shedding, samples: number, clients = ['light']): void {
  for (let sample = 0; sample < samples; sample++) {
    for (const client of clients) refused(shedding, client)
    t.mock.timers.tick(100)
  }
}

test('the longer the wait, the more is refused: lists first, orders last; when the wait is over, nothing', (t) => {
  let delayMs = 0
  const shedding = openMocked(t, () => ({ reading: 0, writing: delayMs }))
  for (const [delay, expected] of [
    [9_000, []],
    [15_000, ['lists']],
    [25_000, ['lists', 'others']],
    [35_000, ['lists', 'others', 'orders']],
    [0, []],
  ] as const) {
    delayMs = delay
    pass(t, shedding, delay === 0 ? 21 : 8)
    assert.deepEqual(refused(shedding), expected, `${delay} ms`)
  }
})

test('a short delay refuses only a part: it takes several samples until all are refused', (t) => {
  const shedding = openMocked(t, () => ({ reading: 15_000, writing: 0 }))
  pass(t, shedding, 2)
  const answers = Array.from({ length: 1_000 }, () => refused(shedding).length)
  const some = answers.filter((count) => count > 0).length
  assert(some > 0 && some < 700, `${some} of 1000`)
})

test('orders are refused only for the queue that they wait in: not for the queue of reading statements', (t) => {
  const shedding = openMocked(t, () => ({ reading: 60_000, writing: 0 }))
  pass(t, shedding, 15)
  assert.deepEqual(refused(shedding), ['lists', 'others'])
})

test('the client that causes the load is refused first; the others only when refusing it does not help', (t) => {
  let delayMs = 15_000
  const shedding = openMocked(t, () => ({ reading: delayMs, writing: 0 }))
  t.mock.method(Math, 'random', () => 0.5) // After seven samples one of twenty requests of the others is refused too.
  pass(t, shedding, 7, ['heavy', 'light'])
  assert.deepEqual([refused(shedding, 'heavy'), refused(shedding)], [['lists'], []])
  pass(t, shedding, 7, ['heavy', 'light'])
  assert.deepEqual([refused(shedding, 'heavy'), refused(shedding)], [['lists'], ['lists']])
  delayMs = 0
  pass(t, shedding, 20, ['heavy', 'light'])
  assert.deepEqual([refused(shedding, 'heavy'), refused(shedding)], [['lists'], []])
  pass(t, shedding, 20, ['heavy', 'light'])
  assert.deepEqual([refused(shedding, 'heavy'), refused(shedding)], [[], []])
})

test('placing an order is refused last, and every list is refused first', () => {
  const urgencyOf = urgencyMatcher(routes)
  const urgency = ({ method, path }: Pick<Route, 'method' | 'path'>): string | undefined =>
    urgencyOf(method, path.replaceAll(/\{\w+\}/g, '17'))
  const named = (wanted: string | undefined): string[] =>
    routes.filter((route) => urgency(route) === wanted).map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(named('orders'), [
    'PUT /api/v1/orders/',
    'DELETE /api/v1/keys/{key_id}/',
    'POST /operator/v1/clients/{client_id}/orders/',
    'POST /operator/v1/clients/{client_id}/orders/from-cart/',
    'PATCH /operator/v1/keys/{key_id}/',
    'DELETE /operator/v1/keys/{key_id}/',
    'DELETE /operator/v1/operator-keys/{key_id}/',
    'POST /operator/v1/me/sign-out/',
    'DELETE /operator/v1/sessions/{session_id}/',
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

test('paths and methods without a route count as before: lists, others, or never outside the API', () => {
  const urgencyOf = urgencyMatcher(routes)
  for (const [method, path, expected] of [
    ['GET', '/api/v1/nonsense/', 'lists'],
    ['GET', '/api/v1/nonsense/17/', 'others'],
    ['GET', '/api/v1/orders/17/nonsense', 'lists'],
    ['POST', '/api/v1/orders/', 'others'],
    ['PUT', '/operator/v1/keys/17/', 'others'],
    ['PATCH', '/operator/v1/keys/17', 'orders'],
    ['PATCH', `/operator/v1/keys/${'1'.repeat(500)}/`, 'orders'],
    ['PATCH', '/operator/v1/keys/%', 'others'],
    ['POST', '/operator/v1/imports/items/?mode=rows', undefined],
    ['GET', '/api/v1/', undefined],
    ['GET', '/api/v2/orders/', undefined],
    ['GET', '//api/v1/orders/', undefined],
    ['GET', '/docs/static/index.html', undefined],
  ] as const)
    assert.equal(urgencyOf(method, path), expected, `${method} ${path}`)
})

test('while statements queue, lists get 503 and Retry-After and other requests are answered; afterwards all are answered', async () => {
  const service = await startService({ settings: { SHED_AFTER_MS: '2,60000,60000' } })
  await addFixtures(service)
  const me = await addClient(service)
  const cart_id = await shopper(service, me).createCart()
  const get = (path: string) => service.request('GET', path, { key: me.key })
  const lists: number[] = []
  const shed = (): number => lists.filter((status) => status === 503).length
  const shedBefore = await metricValue('parts_shed_requests_total', { urgency: 'lists' })
  const until = performance.now() + 60_000
  await Promise.all(
    Array.from({ length: 96 }, async (_, n) => {
      while (shed() <= 100 && performance.now() < until) {
        const answer = await get(n < 48 ? '/api/v1/items/' : `/api/v1/carts/${cart_id}/`)
        if (n >= 48) assert.equal(answer.status, 200)
        else lists.push(answer.status)
        if (answer.status === 503)
          assert.deepEqual([answer.headers['retry-after'], answer.body.errors[0]?.code], ['2', 'overloaded'])
      }
    }),
  )
  assert.deepEqual(new Set(lists), new Set([200, 503]))
  assert(shed() > 100)
  assert.equal((await metricValue('parts_shed_requests_total', { urgency: 'lists' })) - shedBefore, shed())
  while ((await get('/api/v1/items/')).status !== 200 && performance.now() < until) await sleep(100)
  assert.equal((await get(`/api/v1/carts/${cart_id}/`)).status, 200)
  assert(performance.now() < until)
  assert(!service.log.some((line) => line.includes('"level":"error"') || line.includes('"status":503')))
  await service.close()
})
