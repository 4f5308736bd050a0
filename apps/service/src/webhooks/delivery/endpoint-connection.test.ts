/** Whatever the endpoint does, a request ends by its deadline, with a status or an error. */
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { openEndpointConnection, type PostResult } from './endpoint-connection.ts'
import { resolveBySystem } from '../public-address.ts'

const servers = new Set<Server>()
const sockets = new Set<Socket>()
afterEach(() => {
  for (const server of servers) server.close()
  for (const socket of sockets) socket.destroy()
})

const longMs = 120_000 // For requests that end before their deadline, on any machine.
const shortMs = 700 // For requests that end at their deadline.

/** Sends requests to a server that runs `respond` on each; the result of the last one. */
async function post(
  respond: (socket: Socket) => void,
  { requests = 1, timeoutMs = longMs }: { requests?: number; timeoutMs?: number } = {},
): Promise<PostResult> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('data', () => respond(socket)).on('error', () => undefined)
  })
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const policy = { allowHttp: true, allowPrivate: true }
  const connection = openEndpointConnection(url, { policy, resolve: resolveBySystem, timeoutMs })
  let result: PostResult | undefined
  for (let n = 0; n < requests; n++) result = await connection.post({ headers: {}, body: '{}' })
  connection.close()
  assert(result)
  return result
}

test('a response that switches protocols ends the request, with its status', async () => {
  const { status, error, durationMs } = await post((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  )
  assert.deepEqual([status, error], [101, null])
  assert(durationMs < longMs)
})

test('no final response by the deadline is a timeout, even after a provisional one', async () => {
  for (const sent of ['', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 20']) {
    const { status, error, durationMs } = await post((socket) => socket.write(sent), { timeoutMs: shortMs })
    assert.deepEqual([status, error], [null, 'timeout'], sent)
    assert(durationMs >= shortMs - 5, `${durationMs} ms`)
  }
})

test('a response whose body is not complete by the deadline counts by its status', { timeout: 600_000 }, async () => {
  const timeoutMs = 5_000 // The headers arrive before it on any machine.
  const { status, error, durationMs } = await post(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 50)
      socket.on('close', () => clearInterval(timer))
    },
    { timeoutMs },
  )
  assert.deepEqual([status, error], [200, null])
  assert(durationMs >= timeoutMs - 5, `${durationMs} ms`)
})

test('a response without a length ends with its connection; one cut before its length is lost', async () => {
  const whole = await post((socket) => socket.end('HTTP/1.1 202 Accepted\r\n\r\nthanks'))
  assert.deepEqual([whole.status, whole.error], [202, null])
  const half = await post((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'))
  assert.deepEqual([half.status, half.error], [null, 'connection_lost'])
})

test('a kept-alive connection that the endpoint has closed is opened again', async () => {
  let requests = 0
  const { status, error } = await post(
    (socket) => {
      requests++
      if (requests === 2) socket.destroy()
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    },
    { requests: 2 },
  )
  assert.deepEqual([status, error, requests], [204, null, 3])
})
