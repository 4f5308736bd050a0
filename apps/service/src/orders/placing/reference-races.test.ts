import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, address, shopper } from '../../testing/fixtures.ts'
import { atTheSameTime, rounds, shortOf } from '../../testing/racing.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

test('two groups race with one unique reference: one order, which the refusal names; without the setting, two', async () => {
  for (const unique of [true, false]) {
    const me = await addClient(service)
    const shop = shopper(service, me)
    await service.sql('update clients set unique_references = $2 where client_id = $1', [me.client_id, unique])
    for (let round = 0; round < rounds(1_280); round++) {
      const reference = `PO-${round}`
      const carts: number[] = []
      const ordering = async (): Promise<() => Promise<Answer>> => {
        const cart_id = await shop.createCart()
        carts.push(cart_id)
        await shop.add(cart_id, { item_id: 2, quantity: 1 })
        const form = { cart_group_key: await shop.groupKey(cart_id), ...address, reference }
        return () => service.request('PUT', '/api/v1/orders/', { key: me.key, form })
      }
      const answers = await atTheSameTime(await ordering(), await ordering())
      assert.deepEqual(answers.map(shortOf).toSorted(), ['done', unique ? 'reference_used' : 'done'])
      const orders = await shop.ok('GET', `/api/v1/orders/?reference=${reference}`)
      assert.equal(orders.length, unique ? 1 : 2)
      const loser = answers.find(({ status }) => status === 409)
      if (unique) assert.deepEqual(loser?.body.errors[0]?.details, { reference, order_id: orders[0].order_id })
      for (const cart_id of carts) await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    }
  }
  await service.checkInvariants()
})
