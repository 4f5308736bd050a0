import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { eventually } from '../../testing/process.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

test('a change is not made when its client has hung up before the statement was sent', async () => {
  const me = await addClient(service) // Its key is not cached yet, so the request waits until it is read.
  const [cart] = await service.sql("insert into carts (client_id, cart_name) values ($1, 'Kept') returning cart_id", [
    me.client_id,
  ])
  await service.sql('update clients set cart_count = 1 where client_id = $1', [me.client_id])
  const release = await holdRows(service.databaseUrl, 'lock table api_keys in access exclusive mode')
  const socket = net.connect(service.port, '127.0.0.1')
  const path = `/api/v1/carts/${String(cart?.['cart_id'])}/`
  socket.write(`DELETE ${path} HTTP/1.1\r\nHost: parts.example\r\nAuthorization: ${me.key}\r\n\r\n`)
  await eventually(async () => (await waiting()) > 0)
  socket.resetAndDestroy()
  await eventually(async () => (await connections()) === 0)
  await release()
  const shop = shopper(service, me)
  assert.equal((await shop.ok('GET', path)).cart_name, 'Kept')
  await sleep(200) // Long enough for a statement that was sent.
  assert.equal((await shop.ok('GET', path)).cart_name, 'Kept')
  await shop.ok('DELETE', path)
})

const waiting = async (): Promise<number> =>
  (await service.sql("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
    .length

const connections = (): Promise<number> =>
  new Promise((resolve) => service.app.server.getConnections((_, count) => resolve(count)))
