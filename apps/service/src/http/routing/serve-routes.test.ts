import assert from 'node:assert/strict'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import Type from 'typebox'
import { id } from '../../input/fields.ts'
import { makeLogger } from '../../log.ts'
import { Refusal, refusalError } from '../../vocabulary/refusals.ts'
import { DatabaseTrouble, openDatabase } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { makeServer } from '../listening/server.ts'
import { announceDeprecation } from './deprecation.ts'
import type { Route } from './route.ts'
import { serveRoutes, type ApiSide } from './serve-routes.ts'

const me = { key_id: 1, client_id: 2 }
// Nothing listens there; these routes send no statements.
const db = openDatabase({ url: 'postgres://nowhere/none', poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 1_000 })
after(() => db.close())

const side: ApiSide<typeof me> = {
  db,
  shareOf: () => 'me',
  authenticate: () => me,
  permit: () => undefined,
  body: 'form',
}

const made: Route = {
  method: 'PUT',
  path: '/things/{thing_id}/',
  operationId: 'putThing',
  tag: 'Things',
  summary: 'Put a thing',
  params: { thing_id: id('The thing.', 1) },
  form: {},
  data: Type.Object({}),
  refusals: ['cart_not_found'],
  handle: async () => ({}),
}

/** Serves one route, and returns what it answers to a PUT with what it logged as errors. */
async function answerOf(t: TestContext, route: Partial<Route>, options: Partial<ApiSide<typeof me>> = {}) {
  const log: string[] = []
  const app = makeServer({
    requestTimeoutMs: 60_000,
    logger: makeLogger('error', { write: (line) => void log.push(line) }),
  })
  t.after(() => app.close())
  serveRoutes(app, [{ ...made, ...route }], { ...side, ...options })
  const { statusCode, body } = await app.inject({ method: 'PUT', url: '/things/7/' })
  const { errors = [] } = JSON.parse(body) as { errors?: { code: string }[] }
  return { status: statusCode, codes: errors.map(({ code }) => code), log }
}

const refuses = (...errors: ReturnType<typeof refusalError>[]): Partial<Route> => ({
  handle: async () => {
    throw new Refusal(errors)
  },
})
const declared = refusalError('cart_not_found', { cart_id: 12 })
const general = refusalError('busy', {})
const undeclared = refusalError('order_not_found', { order_id: 5012 })

test('a refusal that its route declares, or that every route has, is answered and not logged as a bug', async (t) => {
  assert.deepEqual(await answerOf(t, refuses(declared), { failOnUndeclaredRefusal: true }), {
    status: 404,
    codes: ['cart_not_found'],
    log: [],
  })
  const { status, codes } = await answerOf(t, refuses(general), { failOnUndeclaredRefusal: true })
  assert.deepEqual([status, codes], [503, ['busy']])
})

test('a refusal that its route does not declare is answered and logged as an error', async (t) => {
  for (const errors of [[undeclared], [undeclared, declared]]) {
    const { status, codes, log } = await answerOf(t, refuses(...errors))
    assert.deepEqual([status, codes], [404, errors.map(({ code }) => code)])
    assert.equal(log.length, 1)
    assert.match(log[0] ?? '', /putThing does not declare the refusal order_not_found/)
  }
})

test('in tests, a refusal that its route does not declare is a 500, even behind a declared one', async (t) => {
  for (const errors of [[undeclared], [declared, undeclared]]) {
    const { status, codes } = await answerOf(t, refuses(...errors), { failOnUndeclaredRefusal: true })
    assert.deepEqual([status, codes], [500, ['internal_error']])
  }
})

test('a guard that refuses without an explanation is a 500, and the log names its statement', async (t) => {
  const unexplained: Partial<Route> = {
    handle: () =>
      settle(
        { deadline: () => Infinity },
        { statement: { name: 'put-thing' }, contended: 'thing 7' },
        async () => undefined,
        async () => undefined,
      ),
  }
  const { status, codes, log } = await answerOf(t, unexplained)
  assert.deepEqual([status, codes], [500, ['internal_error']])
  assert.match(log[0] ?? '', /put-thing changed nothing, and no reason was found/)
})

test('trouble with the database is a 503 that says which', async (t) => {
  for (const [kind, code] of [
    ['busy', 'busy'],
    ['unavailable', 'database_unavailable'],
  ] as const) {
    const troubled = await answerOf(t, { handle: () => Promise.reject(new DatabaseTrouble(kind)) })
    assert.deepEqual([troubled.status, troubled.codes], [503, [code]])
  }
})

test('the key is checked before the body arrives, and again when it is complete', async (t) => {
  const checks: string[] = []
  const admitted = Promise.withResolvers<void>()
  let bodySent = false
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
  t.after(() => app.close())
  serveRoutes(app, [made], {
    ...side,
    authenticate: () => {
      checks.push(bodySent ? 'after the body' : 'before the body')
      admitted.resolve()
      if (bodySent) throw new Refusal('unauthorized', {})
      return me
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write(
    'PUT /things/7/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1\r\n\r\n',
  )
  await admitted.promise
  bodySent = true
  socket.write('&')
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  assert.match(answer, /^HTTP\/1.1 401 /)
  assert.deepEqual(checks, ['before the body', 'after the body'])
})

test('a chunked body over the limit is 413, and the connection stays usable', async (t) => {
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
  t.after(() => app.close())
  serveRoutes(app, [made], side)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (bytes) => (received += bytes.toString()))
  const until = async (form: RegExp): Promise<void> => {
    while (!form.test(received)) await new Promise((resolve) => socket.once('data', resolve))
  }
  const head = 'PUT /things/7/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  const chunk = `4000\r\n${'&'.repeat(0x4000)}\r\n`
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`)
  await until(/^HTTP\/1.1 413 [\s\S]*body_too_large/)
  received = ''
  socket.write(`${chunk}0\r\n\r\n${head}Content-Length: 0\r\n\r\n`)
  await until(/^HTTP\/1.1 200 /)
})

test('a refused stream of rows is read to its end, so that a sender who reads nothing before gets the answer', async (t) => {
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
  t.after(() => app.close())
  serveRoutes(app, [{ ...made, rows: {} }], {
    ...side,
    permit: () => {
      throw new Refusal('scope_missing', { scope: 'orders:write' })
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const size = 8 * 1024 * 1024
  socket.write(`PUT /things/7/ HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: ${size}\r\n\r\n`)
  await new Promise((resolve) => socket.write(Buffer.alloc(size, 'a'), resolve)) // Nobody listens to data yet.
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  socket.destroy()
  assert.match(answer, /^HTTP\/1.1 403 /)
})

test('responses of a deprecated route say since when, until when and what to use instead, refusals included', async (t) => {
  const deprecated = { since: '2027-01-31', sunset: '2028-01-31', link: 'https://parts.example.com/docs/' }
  const headersOf = async (route: Partial<Route>, options: Partial<ApiSide<typeof me>> = {}): Promise<unknown[]> => {
    const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
    t.after(() => app.close())
    serveRoutes(app, [{ ...made, ...route }], { ...side, ...options })
    const { statusCode, headers } = await app.inject({ method: 'PUT', url: '/things/7/' })
    return [statusCode, headers['deprecation'], headers['sunset'], headers['link']]
  }
  const announced = ['@1801353600', 'Mon, 31 Jan 2028 23:59:59 GMT']
  const instead = '<https://parts.example.com/docs/>; rel="deprecation"'
  const unauthorized = (): never => {
    throw new Refusal('unauthorized', {})
  }
  const page: Partial<Route> = { paged: true, handle: async () => ({ data: [], next_cursor: 'abc' }) }
  assert.deepEqual(await headersOf({ deprecated }), [200, ...announced, instead])
  assert.deepEqual(await headersOf({ deprecated, ...refuses(declared) }), [404, ...announced, instead])
  assert.deepEqual(await headersOf({ deprecated }, { authenticate: unauthorized }), [401, ...announced, instead])
  const next = '</things/7/?cursor=abc>; rel="next"'
  assert.deepEqual(await headersOf({ deprecated, ...page }), [200, ...announced, `${next}, ${instead}`])
  assert.deepEqual(await headersOf(page), [200, undefined, undefined, next])
  assert.throws(
    () => announceDeprecation({ ...deprecated, sunset: '2028-01-30' }),
    /A sunset must not be before 2028-01-31\./,
  )
})
