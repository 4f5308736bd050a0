import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepCarts } from './sweep-carts.ts'
import { age, fillWithCarts } from '../testing/carts.ts'
import { databaseDigest } from '../testing/database-digest.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addFixtures } from '../testing/fixtures.ts'
import { makeWorld, type World } from '../testing/world.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

const sweep = async (): Promise<number> =>
  (await Array.fromAsync(sweepCarts(service.db))).reduce((sum, swept) => sum + swept, 0)

const cartsOf = async ({ shop }: World): Promise<number[]> =>
  (await shop.ok('GET', '/api/v1/carts/')).map(({ cart_id }: { cart_id: number }) => cart_id)

const create = ({ me }: World, headers = {}) =>
  service.request('PUT', '/api/v1/carts/', { key: me.key, form: { name: 'Another' }, headers })

test('the worker deletes carts that have been empty for 30 days, and no others', async () => {
  const world = await makeWorld(service)
  const { shop } = world
  const abandoned = await shop.createCart('Abandoned')
  const recent = await shop.createCart('Emptied 29 days ago')
  const filled = await shop.createCart('Filled')
  await shop.add(filled, { item_id: 1, quantity: 1 })
  await age(service, abandoned, '30 days 1 minute')
  await age(service, recent, '29 days 23 hours')
  await age(service, filled, '90 days')
  assert.equal(await sweep(), 1)
  assert.deepEqual(await cartsOf(world), [recent, filled])
  assert.equal(await sweep(), 0)
  await service.checkInvariants()
})

test('the 30 days begin when the last line is removed or ordered', async () => {
  const world = await makeWorld(service)
  const { shop } = world
  const removed = await shop.createCart()
  const line = await shop.add(removed, { item_id: 1, quantity: 1 })
  const ordered = await shop.createCart()
  await shop.add(ordered, { item_id: 1, quantity: 1 })
  for (const cart_id of [removed, ordered]) await age(service, cart_id, '90 days')
  await shop.ok('DELETE', `/api/v1/carts/${removed}/items/${line}/`)
  await shop.order(ordered)
  assert.equal(await sweep(), 0)
  for (const cart_id of [removed, ordered]) await age(service, cart_id, '31 days')
  assert.equal(await sweep(), 2)
  assert.deepEqual(await cartsOf(world), [])
  await service.checkInvariants()
})

test('two runs at the same time delete each cart once, and a run that ends early is continued by the next', async () => {
  const worlds = [await makeWorld(service), await makeWorld(service)]
  for (const { me } of worlds) await fillWithCarts(service, me)
  const [one, other] = worlds.map(({ me }) => me.client_id)
  const abandon = () =>
    service.sql(`update carts set emptied_at = now() - interval '31 days' where client_id in ($1, $2)`, [one, other])
  await abandon()
  const early = sweepCarts(service.db)
  let handled = 0
  for await (const swept of early) {
    handled += swept
    if (handled > 0) break // As if the worker had been killed.
  }
  const runs = await Promise.all([sweep(), sweep(), sweep()])
  handled += runs.reduce((sum, swept) => sum + swept, 0)
  assert.equal(handled, 2_000)
  for (const world of worlds) assert.deepEqual(await cartsOf(world), [])
  await service.checkInvariants()
})

test('at the limit a new cart takes the place of the one that has been empty longest, if that is 30 days', async () => {
  const world = await makeWorld(service)
  const [first, second] = [await world.shop.createCart(), await world.shop.createCart()]
  await fillWithCarts(service, world.me)
  await age(service, first, '31 days')
  await age(service, second, '32 days')
  const before = await cartsOf(world)
  const made: number[] = []
  for (const removed of [second, first]) {
    const answer = await create(world)
    assert.equal(answer.status, 200, answer.text)
    made.push(answer.body.data.cart_id)
    assert((await cartsOf(world)).every((cart_id) => cart_id !== removed))
  }
  assert.deepEqual(await cartsOf(world), [
    ...before.filter((cart_id) => cart_id !== first && cart_id !== second),
    ...made,
  ])

  await service.sql(`update carts set emptied_at = now() - interval '29 days' where client_id = $1`, [
    world.me.client_id,
  ])
  const unchanged = await databaseDigest(service)
  const refused = await create(world)
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [409, 'cart_limit_reached'])
  assert.deepEqual(refused.body.errors[0]?.details, { limit: 1_000 })
  assert.deepEqual(await databaseDigest(service), unchanged)
  await service.checkInvariants()
})

test('below the limit a new cart removes none, and a retry at the limit removes none either', async () => {
  const world = await makeWorld(service)
  const abandoned = await world.shop.createCart()
  await age(service, abandoned, '31 days')
  const retried = { 'idempotency-key': 'cart' }
  const first = await create(world, retried)
  assert.deepEqual(await cartsOf(world), [abandoned, first.body.data.cart_id])
  await fillWithCarts(service, world.me)
  const unchanged = await databaseDigest(service)
  assert.equal((await create(world, retried)).text, first.text)
  assert.deepEqual(await databaseDigest(service), unchanged)
})
