/** The feed goes on after the database was moved to another server, which counts its own transaction ids. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migrate } from '../../migrate.ts'
import { lastEvents } from '../../testing/events.ts'
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

const from = async (cursor: string): Promise<number[][]> => {
  const { events } = await operators.ok('GET', `/operator/v1/events/?limit=500&cursor=${cursor}`)
  return (events as Seen[]).map(({ client_id, event_number }) => [client_id, event_number])
}
const numbersOf = async ({ client_id }: TestClient): Promise<number> => {
  const [row] = await service.sql('select event_number::int as n from clients where client_id = $1', [client_id])
  return Number(row?.['n'])
}

test('after a move to a server with lower transaction ids cursors stay valid, and new events come after all others', async () => {
  const clients = [await addClient(service), await addClient(service), await addClient(service)]
  for (let n = 0; n < 3; n++) for (const client of clients.toReversed()) await place(client)
  const { events } = (await operators.ok('GET', '/operator/v1/events/?limit=500')) as { events: Seen[] }
  const { next_cursor: middle } = await operators.ok('GET', '/operator/v1/events/?limit=7')
  const rest = await from(middle)
  assert.equal(rest.length, events.length - 7)
  const { next_cursor: last } = await lastEvents(service, operators)

  // As if the other server had counted on: what is stored is ahead of what this one gives.
  const ahead = 1_000_000_000_000
  const further = (column: string): string => `${column} = ((${column}::text::bigint + ${ahead})::text)::xid8`
  await service.sql(`update events set ${further('transaction_id')}`)
  await service.sql(`update clients set ${further('event_transaction')}`)
  const moved = (cursor: string): string => {
    const [generation, transaction, ...others] = Buffer.from(cursor, 'base64url').toString().split('-')
    return Buffer.from([generation, Number(transaction) + ahead, ...others].join('-')).toString('base64url')
  }
  const first = clients[0] ?? assert.fail()
  await place(first)
  assert.deepEqual(await from(moved(last)), []) // The service is not ready then: not even new events are shown.

  const positions = () => service.sql(`select prosrc from pg_proc where proname = 'event_position'`)
  const before_ = await positions()
  await migrate(service.databaseUrl, () => undefined)
  const raised = await positions()
  assert.notDeepEqual(raised, before_)
  await migrate(service.databaseUrl, () => undefined) // Finds nothing to do.
  assert.deepEqual(await positions(), raised)

  const second = clients[1] ?? assert.fail()
  await place(second)
  const expected = [
    [first.client_id, await numbersOf(first)],
    [second.client_id, await numbersOf(second)],
  ]
  assert.deepEqual(await from(moved(last)), expected)
  assert.deepEqual(await from(moved(middle)), [...rest, ...expected])
  await service.checkInvariants()
})

test('migrating a database that was not restored leaves its events unchanged', async () => {
  const rows = (): Promise<unknown> => service.sql('select xmin::text, * from events order by client_id, event_number')
  const [stored, feed] = [await rows(), await service.sql('select * from event_feed')]
  await migrate(service.databaseUrl, () => undefined)
  assert.deepEqual(await rows(), stored)
  assert.deepEqual(await service.sql('select * from event_feed'), feed)
})
