import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { adjustment } from '../../testing/orders.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { startService, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeOperatorWorld(service, operators)
})
after(() => service.close())

interface Entry {
  readonly event_type: string
  readonly actor: string
  readonly operator_id: number | null
  readonly changes: readonly object[]
}

async function entries(query: Readonly<Record<string, string | number>>, limit = 100): Promise<Entry[]> {
  const all: Entry[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const text: string = new URLSearchParams({
      ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      limit: String(limit),
      cursor,
    }).toString()
    const answer = await service.request('GET', `/operator/v1/log/?${text}`, { key: operators.keys.viewer })
    assert.equal(answer.status, 200, answer.text)
    all.push(...answer.body.data)
    cursor = answer.body.paging?.next_cursor ?? null
  }
  return all
}

const types = (all: readonly Entry[]): string[] => all.map(({ event_type }) => event_type)

test('the log of an order shows who changed what, with old and new values, newest first', async () => {
  const { order_id, order_item_id, adjustment_id } = await adjustment(world) // From 3 discs to 2.
  await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`)
  await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'processing' })
  const all = await entries({ order_id })
  const moved = all.find(({ changes }) => JSON.stringify(changes).includes('processing'))
  assert.deepEqual(moved?.changes, [{ field: 'order_state_id', order_item_id: null, old: 'new', new: 'processing' }])
  assert.match(moved.actor, /^operator \d+ key \d+, Test admin$/)
  const line = { field: 'quantity', order_item_id, old: '3', new: '2', article: 'BN-280-V' }
  const total = { field: 'order_total', order_item_id: null, old: '30', new: '20' }
  const changed = all.flatMap(({ changes }) => changes)
  for (const change of [line, total]) assert.equal(count(changed, change), 1, JSON.stringify(change))
  assert.deepEqual(all.at(-1)?.event_type, 'order.created')
  assert.deepEqual(await entries({ order_id }, 1), all)
  assert.deepEqual(await entries({ order_id: 999_999 }), [])
})

const count = (list: readonly object[], one: object): number =>
  list.filter((other) => JSON.stringify(other) === JSON.stringify(one)).length

test('the log is filtered by client, actor, type and day in any combination', async () => {
  const { client_id } = world.me
  await operators.ok('PATCH', `/operator/v1/clients/${client_id}/`, { client_name: 'Garage Weber & Co' })
  const all = await entries({ client_id })
  assert.deepEqual(all[0]?.changes, [
    { field: 'client_name', order_item_id: null, old: 'Garage Weber', new: 'Garage Weber & Co' },
  ])
  const [{ actor, operator_id }] = all as [Entry]
  const byActor = all.filter((entry) => entry.actor === actor)
  assert(byActor.length >= 3 && byActor.length < all.length)
  assert.deepEqual(await entries({ actor }), byActor)
  assert.deepEqual(await entries({ operator_id: operator_id ?? 0 }), byActor)
  assert.deepEqual(await entries({ operator_id: operator_id ?? 0 }, 2), byActor)
  assert.deepEqual(await entries({ operator_id: 1 }), []) // The viewer's.
  assert.deepEqual(await entries({ client_id, actor }, 2), byActor)
  assert.deepEqual(types(await entries({ event_type: 'client.changed' })), ['client.changed'])
  assert.deepEqual(types(await entries({ event_type: 'order.created', client_id })), ['order.created'])
  assert.deepEqual(await entries({ actor, event_type: 'order.created' }), [])
  assert.deepEqual(await entries({}, 2), all)
  assert.deepEqual(await entries({ date_to: '2020-01-01' }), [])
  assert.deepEqual(await entries({ date_from: '2020-01-01' }), all)
})
