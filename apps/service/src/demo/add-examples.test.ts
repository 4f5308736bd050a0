import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDemo } from '../commands/start-demo.ts'
import { endedIds, exampleIds } from '../vocabulary/example-ids.ts'
import { createTestDatabase } from '../testing/database.ts'

test('the demo has the cart, the lines and the cart group that the examples of the reference name', async () => {
  await using opened = new AsyncDisposableStack()
  const database = await createTestDatabase()
  opened.defer(() => database.drop())
  const environment = { DATABASE_URL: database.url, PORT: '0' }
  const demo = await startDemo(environment, { fresh: false, say: () => undefined }, opened)
  const groups = async (path: string): Promise<Group[]> => {
    const answer = await fetch(`${demo.baseUrl}/api/v1/${path}`, { headers: { authorization: demo.keys.client_a } })
    return ((await answer.json()) as { data: Group[] }).data
  }
  const lines = (await groups(`carts/${exampleIds.cart_id}/items/`)).flatMap(({ cart_items }) => cart_items)
  assert.deepEqual(
    lines.map(({ cart_item_id }) => cart_item_id),
    [exampleIds.cart_item_id, endedIds.cart_item_id],
  )
  const [group] = await groups(`carts/${endedIds.cart_id + 1}/items/`)
  assert.equal(group?.cart_group_key, endedIds.cart_group_key)
})

interface Group {
  cart_group_key: string
  cart_items: { cart_item_id: number }[]
}
