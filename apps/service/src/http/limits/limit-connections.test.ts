import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { register } from 'prom-client'
import { clientAddresses } from '../client-address.ts'
import type { ConnectionLimits } from './limit-connections.ts'
import { makeServer } from '../listening/server.ts'
import { makeLogger } from '../../log.ts'

interface Limited {
  /** Opens a connection from this address and returns what came of a request on it. */
  readonly ask: (localAddress?: string) => Promise<{ answer: string; socket: net.Socket }>
  readonly log: string[]
}

async function limited(t: TestContext, connections: ConnectionLimits, proxies: string[] = []): Promise<Limited> {
  const log: string[] = []
  const logger = makeLogger('info', { write: (line) => void log.push(line) })
  const app = makeServer({ requestTimeoutMs: 60_000, logger, connections, addresses: clientAddresses(proxies) })
  app.get('/', async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const sockets: net.Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
  return {
    log,
    ask: async (localAddress = '127.0.0.1') => {
      const socket = net.connect({ port, host: '127.0.0.1', localAddress })
      sockets.push(socket)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      const first = once(socket, 'data') // A refused connection is answered before anything is sent.
      setTimeout(() => socket.writable && socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 50)
      const [bytes] = (await first) as [Buffer]
      return { answer: bytes.toString(), socket }
    },
  }
}

const refusedOf = async (limit: string): Promise<number> =>
  Number(
    new RegExp(`^parts_refused_connections_total\\{limit="${limit}"\\} (\\d+)`, 'm').exec(
      await register.metrics(),
    )?.[1] ?? 0,
  )

test('an address over its limit gets 503 on new connections, and another address does not', async (t) => {
  const before = await refusedOf('address')
  const { ask, log } = await limited(t, { connectionsMax: 10, connectionsPerAddressMax: 2 })
  const first = await ask()
  for (const { answer } of [first, await ask()]) assert.match(answer, /^HTTP\/1\.1 200 /)
  for (let n = 0; n < 3; n++) {
    const { answer, socket } = await ask()
    assert.match(answer, /^HTTP\/1\.1 503 [^]*Retry-After: 2\r\nConnection: close\r\n\r\n\{.*"too_many_connections"/)
    if (!socket.destroyed) await once(socket, 'close')
  }
  assert.match((await ask('127.0.0.2')).answer, /^HTTP\/1\.1 200 /)
  assert.equal((await refusedOf('address')) - before, 3)
  const lines = log.filter((line) => line.includes('too many connections'))
  assert.equal(lines.length, 1, 'One line, not one for each connection.')
  assert.match(lines[0] ?? '', /"limit":"address","address":"127\.0\.0\.1","connections":2/)
  first.socket.destroy()
  let again = await ask()
  while (!again.answer.startsWith('HTTP/1.1 200')) again = await ask() // The server may not have noticed the end yet.
})

test('the limit in total applies to all addresses together', async (t) => {
  const { ask } = await limited(t, { connectionsMax: 3, connectionsPerAddressMax: 10 })
  for (const address of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) assert.match((await ask(address)).answer, / 200 /)
  assert.match((await ask('127.0.0.4')).answer, / 503 /)
})

test('the limit of an address does not apply to a trusted proxy', async (t) => {
  const { ask } = await limited(t, { connectionsMax: 10, connectionsPerAddressMax: 1 }, ['127.0.0.8/32'])
  for (let n = 0; n < 3; n++) assert.match((await ask('127.0.0.8')).answer, / 200 /)
  assert.match((await ask('127.0.0.9')).answer, / 200 /)
  assert.match((await ask('127.0.0.9')).answer, / 503 /)
})
