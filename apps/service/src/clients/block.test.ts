/** A blocked client, or one under a blocked contract, places no new orders; everything else continues. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { databaseDigest } from '../testing/database-digest.ts'
import { makeOperatorWorld, makeOperators, type Operators, type OperatorWorld } from '../testing/operators.ts'
import { shortOf } from '../testing/racing.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { address, addFixtures } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const reason = 'Payment is overdue.'

/** The paths of a client and of its default contract. */
const pathsOf = ({ me }: OperatorWorld): readonly string[] => [
  `/operator/v1/clients/${me.client_id}/`,
  `/operator/v1/clients/${me.client_id}/contracts/${me.contract_id}/`,
]

async function fullCart({ shop }: OperatorWorld): Promise<{ cart_id: number; cart_group_key: string }> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return { cart_id, cart_group_key: await shop.groupKey(cart_id) }
}

const place = ({ me }: OperatorWorld, cart_group_key: string): Promise<Answer> =>
  service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })

for (const [place_, code] of [
  [0, 'client_blocked'],
  [1, 'contract_blocked'],
] as const) {
  test(`${code}: orders are refused until the block ends, and all other requests continue`, async () => {
    const world = await makeOperatorWorld(service, operators)
    const { shop, me } = world
    const path = String(pathsOf(world)[place_])
    const earlier = await fullCart(world)
    const placed = await place(world, earlier.cart_group_key)
    const { order_id, order_item_id } = await lineOf(world, placed)
    await operators.ok('POST', `${path}block/`, { reason })

    const { cart_id, cart_group_key } = await fullCart(world)
    const stored = await databaseDigest(service)
    const refused = await place(world, cart_group_key)
    assert.equal(shortOf(refused), code)
    assert.equal(refused.body.errors[0]?.details?.['block_reason'], reason)
    assert.deepEqual(await databaseDigest(service), stored)
    const [group] = await shop.ok('GET', `/api/v1/carts/${cart_id}/items/?include=totals`)
    assert.deepEqual(group.totals.refusals, [code])

    assert.deepEqual((await place(world, earlier.cart_group_key)).body, placed.body) // A repetition places nothing.
    const made = await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 2 })
    await operators.ok('POST', `/operator/v1/adjustments/${made.adjustment_id}/accept/`)
    await shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
    if (code === 'contract_blocked') {
      const other = await shop.createCart()
      await shop.add(other, { item_id: 1, quantity: 1, contract_id: me.limited_contract_id })
      await shop.order(other)
    }

    await operators.ok('POST', `${path}unblock/`)
    assert.equal(shortOf(await place(world, cart_group_key)), 'done')
    await service.checkInvariants()
  })
}

async function lineOf({ shop }: OperatorWorld, placed: Answer): Promise<{ order_id: number; order_item_id: number }> {
  const order_id = placed.body.data.created_order_id as number
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return { order_id, order_item_id: line.order_item_id as number }
}

test('a repeated block and a repeated end of it change nothing; another reason replaces it; the client reads each', async () => {
  const world = await makeOperatorWorld(service, operators)
  for (const path of pathsOf(world)) {
    for (const [action, json] of [
      ['block', { reason }],
      ['block', { reason: 'Fraud suspected.' }],
      ['unblock', undefined],
    ] as const) {
      const first = await operators.ok('POST', `${path}${action}/`, json)
      const stored = await databaseDigest(service)
      assert.deepEqual(await operators.ok('POST', `${path}${action}/`, json), first)
      assert.deepEqual(await databaseDigest(service), stored)
    }
  }
  const events = (await world.shop.ok('GET', '/api/v1/events/?limit=500')) as { event_type: string; data: object }[]
  const log = (await operators.ok('GET', `/operator/v1/log/?client_id=${world.me.client_id}&limit=500`)) as {
    event_type: string
    changes: { field: string; old: string | null; new: string | null }[]
  }[]
  const blocks = log.filter(({ event_type }) => event_type.endsWith('blocked'))
  assert.deepEqual(
    blocks.map(({ changes }) =>
      changes.filter(({ field }) => field === 'block_reason').map((one) => [one.old, one.new]),
    ),
    ['contract', 'client'].flatMap(() => [
      [['Fraud suspected.', null]], // Newest first.
      [[reason, 'Fraud suspected.']],
      [[null, reason]],
    ]),
  )
  const { contract_id } = world.me
  assert.deepEqual(events.slice(-6).map(({ event_type, data }) => [event_type, data]), [
    ['client.blocked', { block_reason: reason }],
    ['client.blocked', { block_reason: 'Fraud suspected.' }],
    ['client.unblocked', {}],
    ['contract.blocked', { contract_id, block_reason: reason }],
    ['contract.blocked', { contract_id, block_reason: 'Fraud suspected.' }],
    ['contract.unblocked', { contract_id }],
  ]) // prettier-ignore
})

test('no order follows the event of a block: one that began before the block and ends after it is refused', async () => {
  const world = await makeOperatorWorld(service, operators)
  const { me } = world
  const { cart_group_key } = await fullCart(world)
  const blocking = new pg.Client({ connectionString: service.databaseUrl })
  await blocking.connect()
  try {
    await blocking.query('begin')
    await blocking.query('update clients set block_reason = $2 where client_id = $1', [me.client_id, reason])
    const placing = place(world, cart_group_key)
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await service.sql(waiting)).length === 0) await sleep(5) // It has read the client as not blocked.
    await blocking.query('commit')
    assert.equal(shortOf(await placing), 'client_blocked')
  } finally {
    await blocking.end()
  }
  assert.deepEqual(await service.sql('select 1 from orders where client_id = $1', [me.client_id]), [])
  await service.checkInvariants()
})
