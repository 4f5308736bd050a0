/**
 * One attacker does its worst within its limits, while another client works. Its requests are measured alone and under
 * attack, in turns, in one run: the other client must notice little, and the process must not grow.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { attackNames, type AttackName, type Target } from './attacker.ts'
import { addNeighbour, nothingMeasured, type Neighbour } from './neighbour.ts'
import { makeApiKey } from '../../src/identity/authenticate.ts'
import { copyOrder } from '../../src/testing/copy-order.ts'
import { percentile } from '../../src/testing/percentile.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../src/testing/fixtures.ts'
import { holdRows } from '../../src/testing/hold-rows.ts'
import { startProcess, type Running } from '../../src/testing/process.ts'
import { startService, type TestService } from '../../src/testing/service.ts'

const attemptsMax = 3 // Other programs on the machine may disturb a measurement; an attack that works disturbs each.
const turns = 3
const memoryMaxMb = 300
const factorMax = 3
const unnoticedMs = 50 // A p99 below this is no delay that anybody notices, whatever it is alone.

let service: TestService // Prepares the data; the attacked process is another one.
let api: Running
let target: Target
let neighbour: Neighbour
let release: () => Promise<void>

before(async () => {
  service = await startService()
  await addFixtures(service)
  const attacker = await addClient(service, { name: 'Attacker' })
  neighbour = await addNeighbour(service)
  const heldCart = await addLargeOrders(attacker)
  const groupKey = await addThousandLines(attacker)
  release = await holdRows(service.databaseUrl, `select from cart_groups where cart_id = ${heldCart} for update`)
  api = await startProcess('api', {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
  })
  const unknownKeys = Array.from({ length: 500 }, (_, n) => makeApiKey(9_000_000 + n))
  target = { port: Number(new URL(api.address).port), key: attacker.key, groupKey, heldCart, unknownKeys }
})
after(async () => {
  api.child.kill('SIGKILL')
  await release()
  await service.close()
})

/** 500 orders with 200 history entries each, and an event for each of them. Returns a cart with a line. */
async function addLargeOrders(client: TestClient): Promise<number> {
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  const order_id = await shop.order(cart_id)
  await service.sql(
    `insert into order_history (client_id, order_id, entry, date, "group", state_id, text)
     select client_id, order_id, n, date, "group", state_id, 'A remark of some length, so that the page is long.'
     from order_history h, generate_series(2, 200) n where h.order_id = $1`,
    [order_id],
  )
  await copyOrder(service, order_id, 500)
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return cart_id
}

/** Returns the key of a group with 1,000 lines, none of which is in stock. */
async function addThousandLines(client: TestClient): Promise<string> {
  await service.sql(
    `with added as (
       insert into items (product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale)
       select 11, 1, 'NONE-' || n, 'none' || n, 'Not in stock ' || n, true from generate_series(1, 1000) n
       returning item_id
     ), priced as (insert into prices select 1, item_id, 1 from added)
     insert into stock_levels (stock_id, item_id, on_hand, back_order) select 1, item_id, 0, false from added`,
  )
  const shop = shopper(service, client)
  const cart_id = await shop.createCart()
  const json = Array.from({ length: 1_000 }, (_, n) => ({ item_id: 1_001 + n, quantity: 1 }))
  const path = `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`
  const answer = await service.request('PUT', path, { key: client.key, json })
  assert.equal(answer.status, 200, answer.text)
  return shop.groupKey(cart_id)
}

const memoryMb = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${api.child.pid}/status`, 'utf8'))?.[1]) / 1024

async function attacked(name: AttackName, working: () => Promise<void>): Promise<void> {
  const file = new URL('attacker.ts', import.meta.url)
  const attacker = new Worker(file, { workerData: { name, target } })
  await once(attacker, 'message') // Starting a thread takes more of the processor than some attacks.
  try {
    await working()
  } finally {
    await attacker.terminate()
  }
}

/** The p99 of the other client, alone and under attack. Everything else is checked here. */
async function measure(t: TestContext, name: AttackName): Promise<{ before: number; during: number; figures: string }> {
  const alone = nothingMeasured()
  const under = nothingMeasured()
  let memory = 0
  const watch = setInterval(() => (memory = Math.max(memory, memoryMb())), 50)
  for (let turn = 0; turn < turns; turn++) {
    await neighbour.work(api.address, alone)
    await attacked(name, () => neighbour.work(api.address, under))
    await sleep(500)
  }
  clearInterval(watch)
  const [before, during] = [percentile(alone.ms, 0.99), percentile(under.ms, 0.99)]
  const figures = [
    `p50 ${percentile(alone.ms, 0.5).toFixed(1)} → ${percentile(under.ms, 0.5).toFixed(1)} ms`,
    `p99 ${before.toFixed(1)} → ${during.toFixed(1)} ms (${(during / before).toFixed(1)} times)`,
    `requests ${alone.ms.length} → ${under.ms.length}`,
    `memory ${memory.toFixed(0)} MB`,
  ].join(', ')
  t.diagnostic(figures)
  assert.deepEqual(new Set([...alone.statuses, ...under.statuses]), new Set([200]), figures)
  assert.equal(api.child.exitCode, null)
  assert(memory < memoryMaxMb, figures)
  return { before, during, figures }
}

for (const name of attackNames) {
  test(`under attack by ${name}, another client is served as before`, async (t) => {
    await neighbour.work(api.address, nothingMeasured()) // Connections, caches and compiled code.
    for (let attempt = 1; ; attempt++) {
      const { before, during, figures } = await measure(t, name)
      if (during < Math.max(unnoticedMs, factorMax * before)) return
      assert(attempt < attemptsMax, figures)
    }
  })
}
