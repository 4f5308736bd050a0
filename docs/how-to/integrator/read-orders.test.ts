/** Runs the commands of docs/how-to/integrator/read-orders.md, in order. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { orderIncludes } from '../../../service/src/orders/order-details.ts'
import type { Order } from '../../../service/src/orders/order.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'
import { filledCart } from '../../../service/src/testing/orders.ts'
import { startService, type TestService } from '../../../service/src/testing/service.ts'
import { makeWorld } from '../../../service/src/testing/world.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('read-orders.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].map(([, block = '']) => block)

let service: TestService

before(async () => {
  service = await startService()
  await addFixtures(service)
})
after(() => service.close())

test('the commands place an order with a reference and read it in full', async () => {
  const world = await makeWorld(service)
  const { cart_id } = await filledCart(world)
  const env: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: world.me.key,
    GROUP: await world.shop.groupKey(cart_id),
  }
  const dataOf = async <T>(command = 'exit 1'): Promise<T> => {
    const { stdout } = await run('bash', ['-euc', command], { env })
    return (JSON.parse(stdout) as { data: T }).data
  }
  assert.equal(commands.length, 4)
  const [place, find, read, list] = commands
  const { created_order_id } = await dataOf<{ created_order_id: number }>(place)
  env['ORDER'] = String(created_order_id)
  const [found] = await dataOf<Order[]>(find)
  assert.deepEqual([found?.order_id, found?.reference], [created_order_id, 'PO-2026-0815'])
  const { address, items, reference, comment, actions } = await dataOf<Order>(read)
  assert.deepEqual([address?.street, reference, comment], ['Invalidenstraße', 'PO-2026-0815', 'Please call before delivery.']) // prettier-ignore
  assert.equal(items?.[0]?.order_item_open, 3)
  assert.equal(actions?.cancel.allowed, true)
  const [listed] = await dataOf<Order[]>(list)
  assert.deepEqual([listed?.address, listed?.items], [address, items])
})

test('the page explains every word of include', () => {
  for (const word of orderIncludes) assert(page.includes(`\n| \`${word}\` |`), word)
})
