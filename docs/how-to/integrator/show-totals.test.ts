/** Runs the commands of docs/how-to/integrator/show-totals.md and checks what the page says about them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { CartGroup } from '../../../service/src/carts/cart-item.ts'
import { day, makeWorld, type World } from '../../../service/src/testing/world.ts'
import { startService, type TestService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('show-totals.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^\`]*)^\`\`\``, 'gm'))].map(([, block = '']) => block)
const [reading = '', ordering = ''] = blocks('sh')
const [totals = '', availability = ''] = blocks('json')

let service: TestService
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

async function dataOf<T>(command: string, variables: Record<string, string>): Promise<T> {
  const env = { PATH: process.env['PATH'], URL: `http://127.0.0.1:${service.port}`, KEY: world.me.key, ...variables }
  return (JSON.parse((await run('bash', ['-euc', command], { env })).stdout) as { data: T }).data
}

async function readGroup(line: { quantity: number; stock_id: number }): Promise<CartGroup> {
  const cart_id = await world.shop.createCart()
  await world.shop.add(cart_id, { item_id: 1, contract_id: world.me.limited_contract_id, ...line })
  const [group] = await dataOf<CartGroup[]>(reading, { CART: String(cart_id) })
  assert(group)
  return group
}

test('the totals are those on the page, and the order has them', async () => {
  assert.equal(blocks('sh').length, 2)
  const group = await readGroup({ quantity: 3, stock_id: 1 })
  assert.deepEqual(group.totals, { ...JSON.parse(totals), earliest_shipping_date: day(0) })
  const { created_order_id } = await dataOf<{ created_order_id: number }>(ordering, { GROUP_KEY: group.cart_group_key })
  const order = await world.shop.ok('GET', `/api/v1/orders/${created_order_id}/`)
  assert.deepEqual([order.order_total, order.order_tax, order.order_discount], [31.35, 2.85, 1.5])
})

test('what would be refused is listed by its code, and the page says what to do', async () => {
  const group = await readGroup({ quantity: 200, stock_id: 2 })
  assert.deepEqual(group.cart_items[0]?.availability, JSON.parse(availability))
  assert.deepEqual(group.totals?.refusals, ['contract_limit_exceeded'])
  for (const code of ['contract_limit_exceeded', 'out_of_stock'])
    assert.match(page, new RegExp(`^\\| \`${code}\``, 'm'))
})
