/** Whatever the other side does, a request ends within its limit, and with a word or a status. */
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLine, type Outcome } from './endpoint-connection.ts'
import { resolveBySystem } from './public-address.ts'

const servers = new Set<Server>()
const sockets = new Set<Socket>()
afterEach(() => {
  for (const server of servers) server.close()
  for (const socket of sockets) socket.destroy()
})

const never = new AbortController().signal
const answerMsMax = 700

/** Sends to a server that does as it is told with each request that has come. */
async function post(answer: (socket: Socket) => void, times = 1): Promise<Outcome> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('data', () => answer(socket)).on('error', () => undefined)
  })
  servers.add(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const where = { allowHttp: true, allowPrivate: true }
  const line = openLine(url, { where, resolve: resolveBySystem, answerMsMax })
  let outcome: Outcome | undefined
  for (let n = 0; n < times; n++)
    outcome = await Promise.race([
      line.post({ headers: {}, body: '{}' }, never),
      sleep(answerMsMax * 5).then(() => assert.fail('It has not ended.')),
    ])
  line.close()
  assert(outcome)
  return outcome
}

test('an answer that wants another protocol is an answer, and ends the request', async () => {
  const { status, error, durationMs } = await post((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  )
  assert.deepEqual([status, error], [101, null])
  assert(durationMs < answerMsMax)
})

test('no answer within the limit is a timeout, also when only a provisional one has come', async () => {
  for (const said of ['', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 20']) {
    const { status, error, durationMs } = await post((socket) => socket.write(said))
    assert.deepEqual([status, error], [null, 'timeout'], said)
    assert(durationMs >= answerMsMax - 5, `${durationMs} ms`)
  }
})

test('an answer whose body trickles beyond the limit counts by its status', async () => {
  const { status, error, durationMs } = await post((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  })
  assert.deepEqual([status, error], [200, null])
  assert(durationMs >= answerMsMax - 5, `${durationMs} ms`)
})

test('an answer without a length ends with its connection; one with a length that is cut off is lost', async () => {
  const whole = await post((socket) => socket.end('HTTP/1.1 202 Accepted\r\n\r\nthanks'))
  assert.deepEqual([whole.status, whole.error], [202, null])
  const half = await post((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'))
  assert.deepEqual([half.status, half.error], [null, 'connection_lost'])
})

test('a kept connection that was closed meanwhile is opened anew', async () => {
  let requests = 0
  const { status, error } = await post((socket) => {
    requests++
    if (requests === 2) socket.destroy()
    else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  }, 2)
  assert.deepEqual([status, error, requests], [204, null, 3])
})
