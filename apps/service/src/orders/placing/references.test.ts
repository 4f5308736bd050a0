/** A client's own number for its order, unique if the distributor has set that. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from '../../testing/database-digest.ts'
import { addFixtures, address } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

/** A client whose references are unique, or not. */
async function newWorld(unique_references: boolean): Promise<OperatorWorld> {
  const world = await makeOperatorWorld(service, operators)
  const path = `/operator/v1/clients/${world.me.client_id}/`
  if (unique_references) await operators.ok('PATCH', path, { unique_references })
  assert.equal((await operators.ok('GET', path)).unique_references, unique_references)
  return world
}

/** Returns the request, so that it can be repeated. */
async function ordering({ shop, me }: OperatorWorld, reference: string, quantity = 1): Promise<() => Promise<Answer>> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity })
  const form = { cart_group_key: await shop.groupKey(cart_id), ...address, reference }
  return () => service.request('PUT', '/api/v1/orders/', { key: me.key, form })
}

const idOf = ({ status, body, text }: Answer): number => {
  assert.equal(status, 200, text)
  return body.data.created_order_id
}

test('a second order with the same unique reference is refused and changes nothing; its group stays orderable', async () => {
  const world = await newWorld(true)
  const first = await ordering(world, 'PO-1')
  const order_id = idOf(await first())
  const second = await ordering(world, 'PO-1')
  const before_ = await databaseDigest(service)
  const refused = await second()
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [
      409,
      [
        {
          code: 'reference_used',
          message: `The reference 'PO-1' belongs to order ${order_id}. Nothing was ordered.`,
          field: 'reference',
          details: { reference: 'PO-1', order_id },
        },
      ],
    ],
  )
  assert.deepEqual(await databaseDigest(service), before_)
  assert.equal(idOf(await first()), order_id) // A repeated request returns the same order.
  assert.deepEqual(await databaseDigest(service), before_)

  const other = await newWorld(true)
  idOf(await (await ordering(other, 'PO-1'))()) // Another client's references do not matter,
  idOf(await (await ordering(world, 'po-1'))()) // nor do those that differ in case.
  const found = await world.shop.ok('GET', '/api/v1/orders/?reference=PO-1')
  assert.deepEqual(
    found.map((order: { order_id: number }) => order.order_id),
    [order_id],
  )
  await service.checkInvariants()
})

test('without the setting two orders may have the same reference, and both are found by it', async () => {
  const world = await newWorld(false)
  const ids = [idOf(await (await ordering(world, 'PO-1'))()), idOf(await (await ordering(world, 'PO-1'))())]
  const found = await world.shop.ok('GET', '/api/v1/orders/?reference=PO-1&include=reference')
  assert.deepEqual(
    found.map((order: { order_id: number; reference: string }) => [order.order_id, order.reference]),
    ids.toReversed().map((order_id) => [order_id, 'PO-1']),
  )
})

test('the setting applies to orders that are placed while it is set, and other refusals stay what they are without it', async () => {
  const world = await newWorld(false)
  const path = `/operator/v1/clients/${world.me.client_id}/`
  idOf(await (await ordering(world, 'PO-1'))())
  const changed = await operators.ok('PATCH', path, { unique_references: true })
  assert.deepEqual([changed.client_name, changed.unique_references], ['Garage Weber', true])
  const order_id = idOf(await (await ordering(world, 'PO-1'))())
  assert.equal((await (await ordering(world, 'PO-1'))()).body.errors[0]?.details?.['order_id'], order_id)

  assert.equal((await operators.ok('PATCH', path, { client_name: 'Garage Weber' })).unique_references, true)
  await operators.ok('PATCH', path, { unique_references: false })
  idOf(await (await ordering(world, 'PO-1'))())
  const tooMany = await (await ordering(world, 'PO-1', 1_000_000))()
  assert.deepEqual([tooMany.status, tooMany.body.errors[0]?.code], [409, 'out_of_stock'])

  const events = (await world.shop.ok('GET', '/api/v1/events/')) as { event_type: string; data: object }[]
  assert.deepEqual(
    events.filter(({ event_type }) => event_type === 'client.changed').map(({ data }) => data),
    [{ unique_references: true }, { client_name: 'Garage Weber' }, { unique_references: false }],
  )
})

test('a new client can have the setting from the start', async () => {
  const { client_id } = await operators.ok('POST', '/operator/v1/clients/', {
    client_name: 'Autohaus Lindner',
    contact_name: 'Karl Lindner',
    contract_name: 'Supply contract',
    price_list_id: 1,
    stock_ids: [1],
    unique_references: true,
  })
  assert.equal((await operators.ok('GET', `/operator/v1/clients/${client_id}/`)).unique_references, true)
})
