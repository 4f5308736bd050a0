import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeServer } from './server.ts'
import type { Shedding } from '../limits/shedding.ts'
import { makeLogger } from '../../log.ts'
import { addClient, addFixtures, type TestClient } from '../../testing/fixtures.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let me: TestClient
before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
})
after(() => service.close())

/** The status of the answer and the message of its error, to a request with exactly this target. */
async function send(target: string, headers: readonly string[] = [`Authorization: ${me.key}`]): Promise<string> {
  const socket = net.connect(service.port, '127.0.0.1')
  socket.write(
    ['GET ', target, ' HTTP/1.1\r\nConnection: close\r\n', ...headers.map((line) => `${line}\r\n`), '\r\n'].join(''),
  )
  let text = ''
  for await (const bytes of socket) text += String(bytes)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? []
  const [, message = ''] = /"message":"([^"]*)"/.exec(text) ?? []
  return `${status} ${message}`
}

test('in a path of the client API, encoded letters, digits and marks are the characters', async () => {
  const { body } = await service.request('GET', '/api/v1/order-states/', { key: me.key })
  assert(body.data.length > 0)
  for (const path of [
    '/%61pi/v1/order-states/',
    '/api/v%31/order-states/',
    '/api/v1/order%2Dstates/',
    '/api/v1/%6F%72der-states',
    '/api/v1/order-stat%65s/?_=%65',
    'http://x/%61pi/v1/order-states/',
  ])
    assert.equal(await send(path), '200 ', path)
  for (const [path, status] of [
    ['/api/v1/carts/%31%32%33/', 404], // No such cart.
    ['/api/v1/c%41rts/', 404], // No such path: `cArts`.
    ['/api/v1/carts/%2e%2e/', 400], // `..` is no integer, and leads nowhere else.
    ['/api/v1/%2e%2e/%2e%2e/operator/v1/inbox/', 404],
    ['/api/v1/carts/%5F', 400],
    ['/api/v1/carts/%2531/', 400], // Decoded once: `%31`.
  ] as const)
    assert.equal((await send(path)).slice(0, 3), String(status), path)
})

test('any other path has one spelling, so that the rules of a proxy apply to it', async () => {
  for (const [path, encoded, plain] of [
    ['/%6F%70erator/v1/inbox/', '%6F', 'o'],
    ['/operator/v%31/inbox/', '%31', '1'],
    ['/%63onsole/', '%63', 'c'],
    ['/%7aebra', '%7a', 'z'],
    ['/%61pi', '%61', 'a'],
    ['http://x/%6Fperator/v1/inbox/', '%6F', 'o'],
  ] as const)
    assert.equal(
      await send(path),
      `400 The request could not be parsed: the path has ${encoded}; write ${plain} unencoded.`,
      path,
    )
})

test('other encoded characters, and all of them in the query, are as before', async () => {
  assert.match(await send('/api/v1/carts/%D0%B6/'), /^400 Invalid value '.+' for 'cart_id'/)
  assert.match(await send('/api/v1/carts/1%2F2/'), /^400 Invalid value '.+' for 'cart_id'/)
  assert.match(await send('/api/v1/carts/%zz/'), /^400 .*not percent-encoded UTF-8/)
  assert.match(await send('/api/v1/orders/?stat%65=n%65w'), /^200 /)
})

test('the absolute form is the same as its path', async () => {
  for (const [target, status] of [
    ['http://parts.example/api/v1/carts/', 200],
    ['HTTPS://parts.example:8443/api/v1/orders/?limit=1', 200],
    ['http://parts.example', 200],
    ['http://parts.example?_=1', 200],
    ['http://parts.example/api/v1/cart/', 404],
  ] as const)
    assert.equal((await send(target)).slice(0, 3), String(status), target)
  for (const target of ['ftp://parts.example/api/v1/carts/', 'api/v1/carts/', 'http:///api/v1/carts/'])
    assert.match(await send(target), /^400 /, target)
  assert.equal(await send('/api/v1/carts/#x'), '400 The request could not be parsed: the target has a fragment (#).')
})

test('load shedding sees the path of the absolute form', async (t) => {
  const seen: string[] = []
  const shedding: Shedding = {
    cover: () => undefined,
    refuses: ({ url = '' }) => seen.push(url) > 0,
    close: () => undefined,
  }
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent'), shedding })
  t.after(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const request = http.get({ port, path: 'http://parts.example/api/v1/carts/?limit=1', agent: false })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  answer.resume()
  assert.deepEqual([answer.statusCode, seen], [503, ['/api/v1/carts/?limit=1']])
})

test('a header that decides who is asking, and for what, is sent once', async () => {
  const other = await addClient(service)
  for (const [name, headers] of [
    ['Authorization', [`Authorization: ${me.key}`, `Authorization: ${me.key}`]],
    ['authorization', [`Authorization: ${me.key}`, 'X: 1', `authorization: ${other.key}`]],
    ['Host', [`Authorization: ${me.key}`, 'Host: a', 'Host: b']],
    ['Content-Type', [`Authorization: ${me.key}`, 'Content-Type: a/b', 'Content-Type: a/b']],
  ] as const)
    assert.equal(
      await send('/api/v1/carts/', headers),
      `400 The request could not be parsed: the header ${name} is sent more than once.`,
    )
  assert.match(await send('/api/v1/carts/', [`Authorization: ${me.key}`, 'Accept: a', 'Accept: b']), /^200/)
})

test('a request to upgrade is answered as any other, and closes the connection', async () => {
  const socket = net.connect(service.port, '127.0.0.1')
  socket.write(
    'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n',
  )
  let text = ''
  for await (const bytes of socket) text += String(bytes)
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 1)
  assert.match(text, /^connection: close/im)
})
