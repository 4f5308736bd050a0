import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { clientSideRoutes, type FeatureParts } from '../../app.ts'
import { readConfig } from '../../config.ts'
import type { Route } from './route.ts'
import { routeCases } from '../../route-cases.ts'
import { makeWorld, type World } from '../../testing/world.ts'
import { formBody, startService, type Answer, type TestService } from '../../testing/service.ts'
import { addFixtures } from '../../testing/fixtures.ts'

let service: TestService
let world: World
const routes = clientSideRoutes({ config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts)

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

const badNumbers = [
  '1e3',
  '0x10',
  '+1',
  '1\n',
  '\t1',
  '1 1',
  '1.0',
  '1,000',
  '٣',
  'NaN',
  'null',
  'true',
  '1\u0000',
  '{}',
]
/** In a path they name nothing: see contract-edges.test.ts. */
const noIds = ['-1', '0', '9007199254740992', '99999999999999999999']
const badTexts = (maxLength: number): string[] => [
  '\u0000',
  'a\u0000b',
  'tab\tstop',
  'line\nbreak',
  '\u007f',
  '\u0085',
  'x'.repeat(maxLength + 1),
  ...(maxLength <= 500 ? ['\u{1F600}'.repeat(maxLength + 1)] : []), // Longer ones are over the limit of bodies.
]
const badDays = [
  '2026-02-30',
  '2026-13-01',
  '2026-1-1',
  '20260101',
  '0000-01-01',
  '+002026-01-01',
  '2026-01-01T00:00',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00',
  '2026-01-01 24:00:00',
  '2026-01-01 23:59:60',
  '2026-01-01  10:00:00',
  '2026-02-30 10:00:00',
  'tomorrow',
  '2026-01-01\n',
  '٢٠٢٦-٠١-٠١',
]
const badLists = [',', '\u0000']
const badWords = ['no-such-word', '[]', ...badLists]
const badObjects = ['a', '[]', '{', '{"a":1}', '{"a":null}', '{"a b":"c"}', '{"":"c"}', '{"a":"\\u0000"}']
const badCodes = ['\u0000', 'D\u0001', 'DEU-and-far-too-long']

const badValues = (schema: Readonly<Record<string, unknown>>, name: string): string[] => {
  if (schema['type'] === 'integer')
    return [
      ...badNumbers,
      ...noIds.filter((number) => number !== '0' || schema['minimum'] === 1),
      ...(name === 'quantity' ? ['1000001'] : []),
    ]
  if (schema['format'] === 'date') return [...badDays, '2026-01-01 00:00:01', '2026-01-01 10:00:00']
  if (name.startsWith('date_')) return badDays
  if (schema['type'] === 'object') return badObjects
  if (schema['type'] === 'array') return name === 'articles' ? badLists : badWords
  return schema['maxLength'] === 2 ? badCodes : badTexts(Number(schema['maxLength'] ?? 200))
}

/** The response must report the problem for this very field, in the error shape. */
function assertBlamed(answer: Answer, field: string, codes: string[], said: string): void {
  assert.equal(answer.status, 400, `${said}: ${answer.status} ${answer.text}`)
  assert.deepEqual(Object.keys(answer.body), ['status', 'errors', 'request_id'])
  const blamed = answer.body.errors.filter((error) => error.field === field)
  assert(blamed.length > 0 && blamed.every(({ code }) => codes.includes(code)), `${said}: ${answer.text}`)
}

for (const route of routes) {
  const name = `${route.method} ${route.path}`
  test(`${name} refuses every malformed value of every field by name`, async () => {
    const cases = routeCases[name]
    assert(cases, 'The route has no cases in its routes.cases.ts.')
    const { data: _, ...request } = await cases.success(world)
    const [path = '', search = ''] = request.path.split('?')
    const stored = await service.sql(
      'select count(*) as n from events union all select count(*) from carts union all select count(*) from cart_items',
    )
    for (const [field, { schema, required }] of Object.entries(route.params ?? {})) {
      const at = route.path.split('/').indexOf(`{${field}}`)
      for (const bad of badValues(schema, field).filter((value) => !noIds.includes(value))) {
        const segments = path.split('/')
        segments[at] = encodeURIComponent(bad)
        assertBlamed(
          await send(route, segments.join('/'), search, request.form),
          field,
          ['field_invalid'],
          `${field}=${bad}`,
        )
      }
      assert(required)
    }
    for (const [field, { schema }] of Object.entries(route.query ?? {})) {
      for (const bad of badValues(schema, field)) {
        const query = new URLSearchParams(search)
        query.set(field, bad)
        assertBlamed(
          await send(route, path, query.toString(), request.form),
          field,
          ['field_invalid'],
          `${field}=${bad}`,
        )
      }
      const twice = `${field}=1&${field}=1`
      assertBlamed(await send(route, path, twice, request.form), field, ['field_repeated'], twice)
      assertBlamed(await send(route, path, `${field}=%ff`, request.form), field, ['field_invalid'], 'invalid UTF-8')
    }
    for (const [field, { schema, required }] of Object.entries(route.form ?? {})) {
      for (const bad of badValues(schema, field)) {
        assertBlamed(
          await send(route, path, search, { ...request.form, [field]: bad }),
          field,
          ['field_invalid'],
          `${field}=${bad}`,
        )
      }
      const body = formBody(request.form ?? {})
      assertBlamed(await sendBody(route, path, `${body}&${field}=1&${field}=1`), field, ['field_repeated'], 'repeated')
      const without = formBody({ ...request.form, [field]: undefined })
      for (const broken of ['%ff', '%', '%zz', '%c0%80', '%ed%a0%80', 'a%00b']) {
        assertBlamed(await sendBody(route, path, `${without}&${field}=${broken}`), field, ['field_invalid'], broken)
      }
      if (required) {
        for (const blank of ['+', '%20%20', '%C2%A0'])
          assertBlamed(await sendBody(route, path, `${without}&${field}=${blank}`), field, ['field_missing'], 'blank')
        assertBlamed(await sendBody(route, path, without), field, ['field_missing'], 'missing')
        assertBlamed(await sendBody(route, path, `${without}&${field}=`), field, ['field_missing'], 'empty')
        assertBlamed(await sendBody(route, path, `${without}&${field}`), field, ['field_missing'], 'without a value')
      }
    }
    if (route.query !== undefined) {
      assertBlamed(
        await send(route, path, `${search}&no_such_field=1`, request.form),
        'no_such_field',
        ['field_unknown'],
        'query',
      )
      assertBlamed(await send(route, path, 'toString=1', request.form), 'toString', ['field_unknown'], 'toString')
    }
    if (route.form !== undefined) {
      assertBlamed(
        await send(route, path, search, { ...request.form, no_such_field: 1 }),
        'no_such_field',
        ['field_unknown'],
        'form',
      )
    }
    assert.deepEqual(
      await service.sql(
        'select count(*) as n from events union all select count(*) from carts union all select count(*) from cart_items',
      ),
      stored,
    )
  })
}

const send = (
  route: Route,
  path: string,
  search: string,
  form?: Record<string, string | number | undefined>,
): Promise<Answer> =>
  service.request(route.method, search === '' ? path : `${path}?${search}`, {
    key: world.me.key,
    ...(form === undefined ? {} : { form }),
  })

const sendBody = (route: Route, path: string, body: string): Promise<Answer> =>
  service.request(route.method, path, {
    key: world.me.key,
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

test('all bad fields are reported at once, of path, query and form', async () => {
  const answer = await service.request('PUT', '/api/v1/carts/1e3/items/?stock_id=1', {
    key: world.me.key,
    form: { item_id: '1e3', quantity: '0', colour: 'red' },
  })
  assert.deepEqual(
    answer.body.errors.map(({ code, field }) => [code, field]),
    [
      ['field_invalid', 'cart_id'],
      ['field_misplaced', 'stock_id'],
      ['field_unknown', 'colour'],
      ['field_invalid', 'item_id'],
      ['field_invalid', 'quantity'],
    ],
  )
})

test('other methods are 405 with Allow; other addresses are 404; a broken path is 400', async () => {
  const post = await service.request('POST', '/api/v1/carts/', { key: world.me.key })
  assert.deepEqual(
    [post.status, post.headers.allow, post.body.errors[0]?.code],
    [405, 'GET, PUT, HEAD, OPTIONS', 'method_not_allowed'],
  )
  const put = await service.request('PUT', '/api/v1/orders/5', { key: world.me.key })
  assert.deepEqual([put.status, put.headers.allow], [405, 'GET, PATCH, DELETE, HEAD, OPTIONS'])
  for (const path of [
    '/api/v1/',
    '/api/v2/carts/',
    '/api/v1/cart/',
    '/api/v1/carts/1/2/',
    '//api/v1/carts/',
    '/API/v1/carts/',
  ]) {
    const answer = await service.request('GET', path, { key: world.me.key })
    assert.deepEqual([answer.status, answer.body.errors[0]?.code], [404, 'route_not_found'], path)
    assert.equal(answer.body.request_id, answer.headers['x-request-id'])
  }
  for (const path of ['/api/v1/carts/%zz/', '/api/v1/carts/%ff/', '/api/v1/carts/%c0%80/']) {
    const answer = await service.request('GET', path, { key: world.me.key })
    assert.deepEqual([answer.status, answer.body.status, typeof answer.body.request_id], [400, 'fail', 'string'], path)
  }
})

test('an unknown path is 404 whatever the body, its Content-Type and the key', async () => {
  for (const path of ['/operator/v1/order/', '/operator/v2/orders/', '/api/v1/cart/', '/nothing']) {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'x', 'text/csv']) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' }
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const answer = await service.request(method, path, { body: '{}', headers })
        assert.deepEqual([answer.status, answer.body.errors[0]?.code], [404, 'route_not_found'], `${method} ${path}`)
      }
    }
  }
})

test('what is not HTTP is answered in the same shape', async () => {
  for (const [bytes, status] of [
    ['nonsense\r\n\r\n', 400],
    ['GET /api/v1/carts/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    [`GET /api/v1/carts/ HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /api/v1/carts/ HTTP/1.1\r\nConnection: close\r\n\r\n', 401],
  ] as const) {
    const answer = await raw(bytes)
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as {
      status: string
      errors: unknown[]
      request_id: string
    }
    assert.equal(body.status, 'fail')
    assert.equal(body.errors.length, 1)
    assert.match(answer, new RegExp(`x-request-id: ${body.request_id}`, 'i'))
  }
})

function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
}
