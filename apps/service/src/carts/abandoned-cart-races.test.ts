/** A cart that has been empty for long is filled while it is about to be deleted: filled or deleted, never both. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepCarts } from './sweep-carts.ts'
import { age, fillWithCarts } from '../testing/carts.ts'
import { assertAll, atTheSameTime, countOutcomes, rounds, shortOf } from '../testing/racing.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { addFixtures } from '../testing/fixtures.ts'
import { makeWorld, type World } from '../testing/world.ts'

let service: TestService
let worlds: World[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  worlds = await Promise.all(Array.from({ length: 4 }, () => makeWorld(service)))
})
after(() => service.close())

const create = ({ me }: World): Promise<Answer> =>
  service.request('PUT', '/api/v1/carts/', { key: me.key, form: { name: 'Another' } })

const fill = ({ me }: World, cart_id: number): Promise<Answer> =>
  service.request('PUT', `/api/v1/carts/${cart_id}/items/`, {
    key: me.key,
    form: { item_id: 2, stock_id: 1, quantity: 1 },
  })

const cartsOf = async ({ me }: World): Promise<number[]> =>
  (await service.sql('select cart_id from carts where client_id = $1', [me.client_id])).map(({ cart_id }) =>
    Number(cart_id),
  )

/** Removes what the round has left, so that the next one starts with room for one cart. */
async function makeRoom(world: World, ...made: number[]): Promise<void> {
  const there = await cartsOf(world)
  for (const cart_id of made.filter((one) => there.includes(one)))
    await world.shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
}

/** The client's only abandoned cart. */
async function abandonedCart(world: World): Promise<number> {
  const cart_id = await world.shop.createCart()
  await fillWithCarts(service, world.me)
  await age(service, cart_id, '31 days')
  return cart_id
}

test('creating a cart at the limit races filling the abandoned one: one of them succeeds', async () => {
  const outcomes = await countOutcomes(rounds(640), worlds, async (world) => {
    const abandoned = await abandonedCart(world)
    const [created, filled] = await atTheSameTime(
      () => create(world),
      () => fill(world, abandoned),
    )
    const carts = await cartsOf(world)
    assert.equal(carts.length, 1_000)
    assert.equal(carts.includes(abandoned), filled.status === 200)
    await makeRoom(world, abandoned, Number(created.body.data?.cart_id))
    return `${shortOf(created)}, ${shortOf(filled)}`
  })
  assertAll(outcomes, 'done, cart_not_found', 'cart_limit_reached, done')
  await service.checkInvariants()
})

test('two carts are created at the limit with one abandoned cart: one takes its place', async () => {
  const outcomes = await countOutcomes(rounds(640), worlds, async (world) => {
    const abandoned = await abandonedCart(world)
    const answers = await Promise.all([create(world), create(world)])
    assert.equal((await cartsOf(world)).includes(abandoned), false)
    await makeRoom(world, ...answers.map(({ body }) => Number(body.data?.cart_id)))
    return answers.map(shortOf).toSorted().join(', ')
  })
  assert.deepEqual(Object.keys(outcomes), ['cart_limit_reached, done'])
  await service.checkInvariants()
})

test('the worker deletes an abandoned cart while it is filled: it is filled, or gone', async () => {
  const outcomes = await countOutcomes(rounds(640), worlds, async (world) => {
    const abandoned = await world.shop.createCart()
    await age(service, abandoned, '31 days')
    const [, filled] = await atTheSameTime(
      () => Array.fromAsync(sweepCarts(service.db)),
      () => fill(world, abandoned),
    )
    assert.equal((await cartsOf(world)).includes(abandoned), filled.status === 200)
    await makeRoom(world, abandoned)
    return shortOf(filled)
  })
  assertAll(outcomes, 'done', 'cart_not_found')
  await service.checkInvariants()
})
