/**
 * The client places orders through a proxy that cuts connections before, during and after the answer, delays answers and
 * answers 429, 502 and 503 at random. Each order is placed exactly once, nothing is lost, no line is doubled.
 * `CLIENT_ORDERS=10000` places ten thousand orders.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, type PartsClient } from '@parts-ordering/client'
import { addClient, addFixtures, address } from '../../../apps/service/src/testing/fixtures.ts'
import { long } from '../../../apps/service/src/testing/racing.ts'
import { startService } from '../../../apps/service/src/testing/service.ts'
import { openUnreliableProxy, type Fate } from '../testing/unreliable-proxy.ts'

const orderCount = Number(process.env['CLIENT_ORDERS'] ?? (long ? 300 : 100))
const clientCount = 5
const atOnce = 60 // Of all clients together.

/** About every third request fails in some way, so an order of five requests meets one or two failures. */
const fates: readonly Fate[] = ['cut before', 'cut after', 'cut during', 'delay', '429', '502', '503']
const failing = 0.33

test(`${orderCount} orders through an unreliable network: each exactly once, with exactly its lines`, async (t) => {
  const service = await startService()
  await addFixtures(service)
  const proxy = await openUnreliableProxy(
    service.port,
    () => (Math.random() < failing ? (fates[Math.floor(Math.random() * fates.length)] ?? 'pass') : 'pass'),
    { delayMs: () => (Math.random() < 0.1 ? 10_000 : Math.random() * 200) }, // A tenth arrives after the timeout.
  )
  t.after(async () => {
    await proxy.close()
    await service.close()
  })
  let repeated = 0
  const clients = await Promise.all(
    Array.from({ length: clientCount }, async () => {
      const { client_id, key } = await addClient(service)
      const options = { key, timeoutMs: 5_000, retries: 50, onRetry: () => void repeated++ }
      return { client_id, client: createClient({ url: proxy.url, ...options }) }
    }),
  )

  const placedBy = new Map<string, number>() // By reference.
  let next = 0
  const run = async (worker: number): Promise<void> => {
    const { client } = clients[worker % clientCount] as { client: PartsClient }
    while (next < orderCount) {
      const reference = `order ${next++}`
      placedBy.set(reference, await placeOne(client, reference))
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: atOnce }, (_, worker) => run(worker)))
  t.diagnostic(`${orderCount} orders in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  t.diagnostic(`${repeated} repetitions; the proxy: ${JSON.stringify(proxy.met)}`)

  const stored = await service.sql(
    `select order_id::int, reference, (select array_agg(item_id || ' x ' || order_item_quantity order by item_id)
       from order_items i where i.order_id = o.order_id) as lines
     from orders o`,
  )
  assert.equal(stored.length, orderCount)
  for (const { order_id, reference, lines } of stored) {
    assert.equal(placedBy.get(reference as string), order_id)
    assert.deepEqual(lines, linesOf(reference as string))
  }
  assert.deepEqual(await service.sql('select cart_name from carts'), []) // Each was created once and deleted.

  const followed = await Promise.all(clients.map(({ client }) => readAllOrders(client)))
  assert.deepEqual(
    followed.flat().toSorted((a, b) => a - b),
    [...placedBy.values()].toSorted((a, b) => a - b),
  )
  for (const fate of fates) assert(proxy.met[fate], `Nothing met '${fate}'.`)
  await service.checkInvariants()
})

async function placeOne(client: PartsClient, reference: string): Promise<number> {
  const { cart_id } = await client.createCart({ name: reference })
  const [, n = ''] = reference.split(' ')
  await client.addCartItem({ cart_id, item_id: 2, stock_id: 1, quantity: 1 + (Number(n) % 3) })
  await client.addCartItems({ cart_id, rows: [{ item_id: 4, stock_id: 1, quantity: 2 }] })
  await client.addCartItem({ cart_id, item_id: 2, stock_id: 1, quantity: 1 })
  const [group] = await client.listCartItems({ cart_id })
  assert(group)
  const placed = await client.orders.placeAsShown(group, address, { reference })
  assert(placed.placed, reference)
  assert.deepEqual(await client.deleteCart({ cart_id }), { removed_cart_id: cart_id })
  return placed.created_order_id
}

const linesOf = (reference: string): string[] => [`2 x ${2 + (Number(reference.split(' ')[1]) % 3)}`, '4 x 2']

/** The orders that the events report, through the same network. */
async function readAllOrders(client: PartsClient): Promise<number[]> {
  const placed: number[] = []
  const expected = (await Array.fromAsync(client.orders.list({ limit: 100 }))).length
  if (expected === 0) return placed
  for await (const event of client.events.follow({ after: 0, limit: 20, wait: 1 })) {
    if (event.event_type === 'order.created') placed.push(event.data.order_id)
    if (placed.length === expected) break
  }
  return placed
}
