/** Connections to endpoints are used again in later turns, and never more are kept than allowed. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, test } from 'node:test'
import { keepConnections, type Endpoint, type KeptConnections } from './keep-connections.ts'
import { resolveBySystem } from '../public-address.ts'
import { eventually } from '../../testing/process.ts'

interface Counted {
  readonly url: string
  readonly server: Server
  /** Connections so far. */
  readonly opened: () => number
  readonly open: () => Promise<number>
}

const servers: Server[] = []
const made: KeptConnections[] = []
afterEach(() => {
  for (const connections of made.splice(0)) connections.close()
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function receive(status = 204): Promise<Counted> {
  let opened = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume().on('end', () => response.writeHead(status).end())
  }).on('connection', () => opened++)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    opened: () => opened,
    open: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  }
}

function connections(max?: number): KeptConnections {
  const kept = keepConnections({ policy: { allowHttp: true, allowPrivate: true }, resolve: resolveBySystem }, max)
  made.push(kept)
  return kept
}

/** A turn with one delivery; returns its status. */
async function deliver(kept: KeptConnections, endpoint: Endpoint): Promise<number | null> {
  const connection = kept.take(endpoint)
  const { status } = await connection.post({ headers: {}, body: '{}' })
  kept.giveBack(endpoint, connection)
  return status
}

test('the next turn of an endpoint uses the connection of the last one, and another endpoint does not', async () => {
  const [kept, { url, opened }] = [connections(), await receive()]
  for (let n = 0; n < 3; n++) assert.equal(await deliver(kept, { webhook_id: 1, url }), 204)
  assert.equal(opened(), 1)
  assert.equal(await deliver(kept, { webhook_id: 2, url }), 204)
  assert.equal(opened(), 2)
})

test('two turns of an endpoint at the same time have a connection each, and one of them is kept', async () => {
  const [kept, { url, opened, open }] = [connections(), await receive()]
  const endpoint = { webhook_id: 1, url }
  assert.deepEqual(await Promise.all([deliver(kept, endpoint), deliver(kept, endpoint)]), [204, 204])
  assert.equal(opened(), 2)
  await eventually(async () => (await open()) === 1)
})

test('an endpoint that has moved gets a new connection, and the old one is closed', async () => {
  const [kept, before, after] = [connections(), await receive(), await receive(202)]
  assert.equal(await deliver(kept, { webhook_id: 1, url: before.url }), 204)
  assert.equal(await deliver(kept, { webhook_id: 1, url: after.url }), 202)
  await eventually(async () => (await before.open()) === 0)
  assert.deepEqual([before.opened(), after.opened()], [1, 1])
})

test('after the endpoint has closed the connection, the next turn opens another', async () => {
  const [kept, { url, server, opened, open }] = [connections(), await receive()]
  assert.equal(await deliver(kept, { webhook_id: 1, url }), 204)
  server.closeAllConnections()
  await eventually(async () => (await open()) === 0)
  assert.equal(await deliver(kept, { webhook_id: 1, url }), 204)
  assert.equal(opened(), 2)
})

test('of more connections than are kept, those idle longest are closed', async () => {
  const [kept, { url, opened, open }] = [connections(3), await receive()]
  for (let webhook_id = 1; webhook_id <= 5; webhook_id++) assert.equal(await deliver(kept, { webhook_id, url }), 204)
  await eventually(async () => (await open()) === 3)
  for (const webhook_id of [3, 4, 5]) await deliver(kept, { webhook_id, url })
  assert.equal(opened(), 5)
  await deliver(kept, { webhook_id: 1, url })
  assert.equal(opened(), 6)
})

test('when delivery stops, all connections are closed, also that of a turn in progress', async () => {
  const [kept, { url, open }] = [connections(), await receive()]
  await deliver(kept, { webhook_id: 1, url })
  const inProgress = kept.take({ webhook_id: 2, url })
  await inProgress.post({ headers: {}, body: '{}' })
  kept.close()
  kept.giveBack({ webhook_id: 2, url }, inProgress)
  await eventually(async () => (await open()) === 0)
})
