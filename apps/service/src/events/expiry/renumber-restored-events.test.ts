/** The feed goes on after a dump was restored into a server with lower transaction ids. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migrate } from '../../migrate.ts'
import { eventsAfter, lastEvents } from '../../testing/events.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Seen {
  readonly client_id: number
  readonly event_number: number
}

async function place(me: TestClient): Promise<void> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
}

const all = async (): Promise<number[][]> => {
  const { events } = await operators.ok('GET', '/operator/v1/events/?limit=500')
  return (events as Seen[]).map(({ client_id, event_number }) => [client_id, event_number])
}

test('events restored from a server with higher transaction ids get new positions in the same order; old cursors are refused', async () => {
  const clients = [await addClient(service), await addClient(service), await addClient(service)]
  for (let n = 0; n < 3; n++) for (const client of clients.toReversed()) await place(client)
  const { next_cursor } = await lastEvents(service, operators)
  const before_ = await all()
  assert.equal(before_.length, 12)

  const further = (column: string): string => `${column} = ((${column}::text::bigint + 1000000000000)::text)::xid8`
  await service.sql(`update events set ${further('transaction_id')}`)
  await service.sql(`update clients set ${further('event_transaction')}`)
  await place(clients[0]!)
  assert.deepEqual(await all(), []) // Without the renumbering nothing is shown, not even new events.

  for (let n = 0; n < 2; n++) await migrate(service.databaseUrl, () => undefined) // The second run finds nothing to do.
  const { next_cursor: renumbered } = await lastEvents(service, operators)
  const renewed = await all()
  assert.equal(renewed.length, 13)
  assert.deepEqual(renewed.slice(0, 12), before_)
  assert.deepEqual((await service.sql('select generation from event_feed')).map(({ generation }) => generation), [1]) // prettier-ignore
  const old = await service.request('GET', `/operator/v1/events/?cursor=${next_cursor}`, { key: operators.keys.viewer })
  assert.deepEqual([old.status, old.body.errors[0]?.code], [410, 'feed_expired'])

  await place(clients[1]!)
  const [next] = await eventsAfter<Seen>(operators, renumbered, 1)
  assert.deepEqual([next?.client_id, next?.event_number], [clients[1]?.client_id, 5])
  await service.checkInvariants()
})

test('migrating a database that was not restored leaves its events unchanged', async () => {
  const rows = (): Promise<unknown> => service.sql('select xmin::text, * from events order by client_id, event_number')
  const [stored, feed] = [await rows(), await service.sql('select * from event_feed')]
  await migrate(service.databaseUrl, () => undefined)
  assert.deepEqual(await rows(), stored)
  assert.deepEqual(await service.sql('select * from event_feed'), feed)
})
