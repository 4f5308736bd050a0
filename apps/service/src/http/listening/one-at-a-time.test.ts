import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { waitingMax } from './accept.ts'
import { makeServer } from '../listening/server.ts'
import { makeLogger } from '../../log.ts'
import { eventually } from '../../testing/process.ts'

let app: FastifyInstance
let port: number
/** What was started, in order; and the functions that let a request to `/held/` be answered. */
let started: string[] = []
let release: (() => void)[] = []
const large = Buffer.alloc(1024 * 1024, 'x')

before(async () => {
  app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
  app.addHook('onRequest', async ({ url }) => void started.push(url))
  app.get('/at-once/*', async ({ url }) => ({ url }))
  app.get('/large/*', async () => large)
  app.get('/held/*', async ({ url }) => {
    await new Promise<void>((resolve) => release.push(resolve))
    return { url }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
after(() => app.close())
beforeEach(() => {
  started = []
  release = []
})

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** A connection, and everything that was received on it. */
function connect(): { socket: net.Socket; received: () => string } {
  const socket = net.connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => undefined)
  return { socket, received: () => text }
}

const answersIn = (text: string): string[] => text.match(/HTTP\/1\.1 \d+|"url":"[^"]+"/g) ?? []

test('a pipelined request starts when the one before it is answered, and answers come in order', async () => {
  const { socket, received } = connect()
  socket.write(get('/held/1') + get('/held/2') + get('/at-once/3'))
  await eventually(async () => release.length === 1)
  assert.deepEqual(started, ['/held/1'])
  release[0]?.()
  await eventually(async () => release.length === 2)
  assert.deepEqual(started, ['/held/1', '/held/2'])
  release[1]?.()
  await eventually(async () => answersIn(received()).length === 6)
  assert.deepEqual(
    answersIn(received()).filter((text) => text.startsWith('"')),
    ['"url":"/held/1"', '"url":"/held/2"', '"url":"/at-once/3"'],
  )
  socket.write(get('/at-once/4'))
  await eventually(async () => received().includes('/at-once/4'))
  socket.destroy()
})

test('nothing is started for a client that does not read its answers, beyond what the system buffers', async () => {
  const socket = net.connect(port, '127.0.0.1').pause()
  for (let n = 0; n <= waitingMax; n++) socket.write(get(`/large/${n}`))
  await eventually(async () => started.length > 0)
  const { socket: other, received } = connect()
  for (let n = 0; n < 50; n++) {
    other.write(get(`/at-once/${n}`))
    await eventually(async () => received().includes(`"/at-once/${n}"`))
  }
  // Several megabytes: the sender's and the receiver's buffers of the system.
  assert(started.filter((url) => url.startsWith('/large/')).length <= 12, started.join(' '))
  socket.destroy()
  other.destroy()
})

test('requests that wait when the client hangs up are never started', async () => {
  for (const hangUp of ['destroy', 'end', 'resetAndDestroy'] as const) {
    started = []
    release = []
    const { socket } = connect()
    socket.write(Array.from({ length: 10 }, (_, n) => get(`/held/${n}`)).join(''))
    await eventually(async () => release.length === 1)
    const connections = (): Promise<number> =>
      new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
    socket[hangUp]()
    await eventually(async () => (await connections()) === 0)
    release[0]?.()
    const { socket: other, received } = connect()
    other.write(get('/at-once/1'))
    await eventually(async () => received().includes('/at-once/1'))
    assert.deepEqual(started, ['/held/0', '/at-once/1'], hangUp)
    other.destroy()
    await once(other, 'close')
  }
})

test('as many requests as may wait are all answered', async () => {
  const { socket, received } = connect()
  socket.write(get('/held/0') + Array.from({ length: waitingMax }, (_, n) => get(`/at-once/${n + 1}`)).join(''))
  await eventually(async () => release.length === 1)
  release[0]?.()
  await eventually(async () => answersIn(received()).length === 2 * (waitingMax + 1))
  assert.equal(started.length, waitingMax + 1)
  socket.destroy()
})

test('when another request arrives, the connection is cut, and nothing that waits is started', async () => {
  const { socket, received } = connect()
  socket.write(get('/held/0') + Array.from({ length: waitingMax + 1 }, (_, n) => get(`/at-once/${n + 1}`)).join(''))
  await once(socket, 'close')
  assert.deepEqual([started, received()], [['/held/0'], ''])
  release[0]?.()
})

test('what is not HTTP is answered after the requests before it', async () => {
  const { socket, received } = connect()
  socket.write(`${get('/held/1')}${get('/at-once/2')}nonsense\r\n\r\n`)
  await eventually(async () => release.length === 1)
  socket.write('more nonsense\r\n\r\n')
  assert.equal(received(), '')
  release[0]?.()
  await once(socket, 'close')
  assert.deepEqual(answersIn(received()), [
    'HTTP/1.1 200',
    '"url":"/held/1"',
    'HTTP/1.1 200',
    '"url":"/at-once/2"',
    'HTTP/1.1 400',
  ])
})

test('a request after one that closes the connection is not started', async () => {
  const { socket, received } = connect()
  socket.write(`GET /at-once/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n${get('/at-once/2')}`)
  await once(socket, 'close')
  assert.deepEqual([started, answersIn(received()).length], [['/at-once/1'], 2])
})
