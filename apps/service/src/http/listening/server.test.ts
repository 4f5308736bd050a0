import assert from 'node:assert/strict'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { makeServer } from './server.ts'
import { openShedding } from '../limits/shedding.ts'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { serveRoutes, type ApiSide } from '../routing/serve-routes.ts'
import { openDatabase } from 'pg-statements/database.ts'
import { makeLogger } from '../../log.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'
import { makeWorld, type World } from '../../testing/world.ts'

const shop = 'https://shop.example'
let service: TestService
let open: TestService
let world: World

before(async () => {
  service = await startService()
  open = await startService({ settings: { CORS_ORIGINS: `${shop}, http://localhost:5173` } })
  await addFixtures(service)
  await addFixtures(open)
  world = await makeWorld(open)
})
after(async () => {
  await service.close()
  await open.close()
})

test('OPTIONS on every path answers 204 with its methods, without a key and in both path forms', async () => {
  const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
  const routes = [...clientSideRoutes({ config } as FeatureParts), ...operatorSideRoutes({ config } as FeatureParts)]
  for (const [path, at = []] of Object.entries(Object.groupBy(routes, (route) => route.path))) {
    const methods: string[] = at.map(({ method }) => method)
    const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    for (const url of [path, path.replace(/\/$/, '')]) {
      const { status, headers, text } = await service.request('OPTIONS', url.replaceAll(/\{\w+\}/g, '7'))
      assert.deepEqual([status, headers.allow, text], [204, expected, ''], url)
      assert.equal(typeof headers['x-request-id'], 'string')
    }
  }
  for (const path of ['/', '/healthz', '/readyz', '/openapi.json', '/docs/']) {
    const { status, headers } = await service.request('OPTIONS', path)
    assert.deepEqual([status, headers.allow], [204, 'GET, HEAD, OPTIONS'], path)
    const post = await service.request('POST', path)
    assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD, OPTIONS'], path)
  }
  assert.equal((await service.request('OPTIONS', '/api/v1/cart/')).status, 404)
})

test('without configured origins no response has a header of CORS', async () => {
  for (const method of ['GET', 'OPTIONS']) {
    const headers = { origin: shop, 'access-control-request-method': 'PUT' }
    const answer = await service.request(method, '/api/v1/carts/', { headers })
    assert.deepEqual(
      Object.keys(answer.headers).filter((name) => name.startsWith('access-control') || name === 'vary'),
      [],
    )
  }
})

const corsOf = ({ status, headers }: Answer): unknown => [
  status,
  headers['access-control-allow-origin'],
  headers['access-control-expose-headers'],
  headers.vary,
]
const exposed =
  'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Link, ETag, Deprecation, Sunset, WWW-Authenticate'

test('every response to a configured origin allows it: successes, 400, 401, 404, 405, 413, 415, 417', async () => {
  const { key } = world.me
  const headers = { origin: shop }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  for (const [status, method, path, options] of [
    [200, 'GET', '/api/v1/carts/', { key, headers }],
    [200, 'GET', '/healthz', { headers }],
    [400, 'GET', '/api/v1/orders/?x=1', { key, headers }],
    [400, 'GET', '/api/v1/carts/%zz/', { key, headers }],
    [401, 'GET', '/api/v1/carts/', { headers }],
    [404, 'GET', '/api/v1/cart/', { headers }],
    [405, 'POST', '/api/v1/carts/', { headers }],
    [413, 'PUT', '/api/v1/carts/', { key, headers: form, body: 'x'.repeat(17_000) }],
    [415, 'PUT', '/api/v1/carts/', { key, headers: { ...headers, 'content-type': 'x' }, body: 'x' }],
    [417, 'GET', '/api/v1/carts/', { key, headers: { ...headers, expect: 'x' } }],
  ] as const)
    assert.deepEqual(corsOf(await open.request(method, path, options)), [status, shop, exposed, 'Origin'], path)
})

test('a request that is shed allows the origin too', async (t) => {
  const shedding = openShedding(
    { lists: 1, others: 1, orders: 1 },
    {
      waitMs: () => ({ reading: 1_000, writing: 1_000 }),
      causedBy: () => 1,
    },
  )
  t.after(() => shedding.close())
  shedding.cover([{ method: 'GET', path: '/api/v1/things/', urgency: 'lists' }])
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent'), shedding, corsOrigins: [shop] })
  t.after(() => app.close())
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const get = (): Promise<Response> => fetch(`${address}/api/v1/things/`, { headers: { origin: shop } })
  let answer = await get()
  while (answer.status !== 503) answer = await get() // From none to all takes seven samples.
  assert.deepEqual(
    [answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')],
    [503, shop, 'Origin'],
  )
})

test('other origins get no permission, but caches learn that responses differ by origin', async () => {
  for (const origin of [undefined, 'null', 'https://other.example', `${shop}.evil.example`, 'https://SHOP.example']) {
    const headers = origin === undefined ? {} : { origin, 'access-control-request-method': 'PUT' }
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await open.request(method, '/api/v1/carts/', { key: world.me.key, headers })
      const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))
      assert.deepEqual([answer.status, cors, answer.headers.vary], [method === 'GET' ? 200 : 204, [], 'Origin'])
    }
  }
})

test('a preflight is answered without a key, with the methods and headers that requests need', async () => {
  const { status, headers, text } = await open.request('OPTIONS', '/api/v1/carts/7/items/', {
    headers: {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })
  assert.deepEqual([status, text, headers.allow], [204, '', 'GET, PUT, HEAD, OPTIONS'])
  assert.equal(headers['access-control-allow-origin'], 'http://localhost:5173')
  assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, PUT, PATCH, POST, DELETE')
  assert.equal(
    headers['access-control-allow-headers'],
    'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id',
  )
  assert.equal(headers['access-control-max-age'], '7200')
  assert.equal(headers['access-control-allow-credentials'], undefined)
})

test('an expectation other than 100-continue is 417 in the shape of every error', async () => {
  const { status, headers, body } = await service.request('GET', '/api/v1/carts/', { headers: { expect: 'a miracle' } })
  assert.deepEqual([status, body.status, body.request_id], [417, 'fail', headers['x-request-id']])
  assert.deepEqual(body.errors, [
    {
      code: 'expectation_failed',
      message: "The expectation 'a miracle' cannot be met. Send the request without the Expect header.",
      details: { expect: 'a miracle' },
    },
  ])
  const form = { 'content-type': 'application/x-www-form-urlencoded', expect: '100-continue' }
  const cart = await open.request('PUT', '/api/v1/carts/', { key: world.me.key, body: 'name=A', headers: form })
  assert.equal(cart.status, 200)
})

test('/ leads browsers to the reference, and gives programs its addresses', async () => {
  const program = await service.request('GET', '/', { headers: { accept: '*/*' } })
  assert.deepEqual(
    [program.status, program.body],
    [200, { status: 'ok', data: { reference: '/docs/', openapi: '/openapi.json' } }],
  )
  const browser = await service.request('GET', '/', {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  })
  assert.deepEqual([browser.status, browser.headers.location], [302, '/docs/'])
  for (const path of Object.values<string>(program.body.data))
    assert.equal((await service.request('GET', path)).status, 200, path)
})

test('closing does not wait for the rest of a body whose request was refused', async (t) => {
  const db = openDatabase({ url: 'postgres://nowhere/none', poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 1_000 })
  t.after(() => db.close())
  const refusing: ApiSide<{ key_id: number }> = {
    db,
    shareOf: () => 'nobody',
    authenticate: () => {
      throw new Refusal('unauthorized', {})
    },
    permit: () => undefined,
    body: 'form',
  }
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
  serveRoutes(
    app,
    [
      {
        method: 'PUT',
        path: '/things/',
        operationId: 'putThing',
        tag: 'Things',
        summary: 'Put a thing',
        form: {},
        data: Type.Object({}),
        refusals: [],
        handle: async () => ({}),
      },
    ],
    refusing,
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(
    'PUT /things/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\na=1',
  )
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  assert.match(answer, /^HTTP\/1.1 401 /)
  const closed = app.close().then(() => 'closed')
  assert.equal(await Promise.race([closed, sleep(3_000, 'still open', { ref: false })]), 'closed')
})
