/**
 * Locks that somebody else holds: requests that need the locked row or table wait, and no others. Both are measured in one
 * run, in turns with and without the lock.
 */
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addClient, addFixtures, address, type TestClient } from '../src/testing/fixtures.ts'
import { holdRows } from '../src/testing/hold-rows.ts'
import { percentile } from '../src/testing/percentile.ts'
import { startProcess, type Running } from '../src/testing/process.ts'
import { formBody, startService, type TestService } from '../src/testing/service.ts'

const attemptsMax = 3 // Other programs on the machine may disturb a measurement; a lock that works disturbs each.
const turns = 3
const turnMs = 4_000
const rateKept = 0.9
const delayFactorMax = 2
const unnoticedMs = 50 // A p99 below this is no delay that anybody notices, whatever it is without the lock.

let service: TestService // Prepares the data; the measured process is another one.
let api: Running

before(async () => {
  service = await startService()
  await addFixtures(service)
  api = await startProcess('api', {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
  })
})
after(async () => {
  api.child.kill('SIGKILL')
  await service.close()
})

async function send(client: TestClient, method: string, path: string, form?: Record<string, string | number>) {
  const answer = await fetch(`${api.address}/api/v1/${path}`, {
    method,
    headers: { authorization: client.key, 'content-type': 'application/x-www-form-urlencoded' },
    ...(form === undefined ? {} : { body: formBody(form) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any
  const { data } = (await answer.json()) as { data: any }
  return { status: answer.status, data }
}

interface Measured {
  readonly ms: number[]
  readonly statuses: number[]
}

const nothing = (): Measured => ({ ms: [], statuses: [] })

/** Repeats the work until the turn is over. */
async function repeat({ ms, statuses }: Measured, until: number, work: () => Promise<number>): Promise<void> {
  while (performance.now() < until) {
    const started = performance.now()
    statuses.push(await work())
    ms.push(performance.now() - started)
  }
}

/** Fills a cart and orders it. Returns the status of the first request that fails, or of the order. */
async function order(client: TestClient, cart_id: number, item_id: number): Promise<number> {
  const added = await send(client, 'PUT', `carts/${cart_id}/items/`, { item_id, stock_id: 1, quantity: 1 })
  if (added.status !== 200) return added.status
  const { status, data } = await send(client, 'GET', `carts/${cart_id}/items/`)
  if (status !== 200) return status
  return (await send(client, 'PUT', 'orders/', { cart_group_key: data[0].cart_group_key, ...address })).status
}

/** Works in turns without and with the lock, again when a bound is exceeded. */
async function compare(
  t: TestContext,
  lock: string,
  work: (into: Measured, stuck: boolean) => Promise<void>,
): Promise<void> {
  await work(nothing(), false)
  for (let attempt = 1; ; attempt++) {
    const [free, held] = [nothing(), nothing()]
    for (let turn = 0; turn < turns; turn++) {
      await work(free, false)
      const release = await holdRows(service.databaseUrl, lock)
      const released = sleep(turnMs).then(release) // Those that wait for the lock are answered then.
      await work(held, true)
      await released
      await sleep(1_000)
    }
    const rate = held.ms.length / free.ms.length
    const [before, during] = [percentile(free.ms, 0.99), percentile(held.ms, 0.99)]
    const figures = `rate ${rate.toFixed(2)} of that without the lock (${free.ms.length} → ${held.ms.length}), p99 ${before.toFixed(1)} → ${during.toFixed(1)} ms`
    t.diagnostic(figures)
    assert.deepEqual(new Set([...free.statuses, ...held.statuses]), new Set([200]), figures)
    if (rate >= rateKept && during < Math.max(unnoticedMs, delayFactorMax * before)) return
    assert(attempt < attemptsMax, figures)
  }
}

test('while 6 of 16 clients wait for the row of one item, the other ten order as before', async (t) => {
  const clients = await Promise.all(Array.from({ length: 16 }, () => addClient(service)))
  const carts = await Promise.all(
    clients.map(async (client) => (await send(client, 'PUT', 'carts/', { name: 'Cart' })).data.cart_id as number),
  )
  const others = Array.from({ length: 10 }, (_, n) => n)
  const waiting = Array.from({ length: 6 }, (_, n) => n + 10)
  const work = async (into: Measured, stuck: boolean): Promise<void> => {
    const until = performance.now() + turnMs
    const wanted = (n: number): [TestClient, number] => [clients[n] ?? assert.fail(), carts[n] ?? assert.fail()]
    const stuckOnes = waiting.map(async (n) => {
      if (!stuck) return
      while (performance.now() < until) await order(...wanted(n), 1)
    })
    await Promise.all([...others.map((n) => repeat(into, until, () => order(...wanted(n), 2))), ...stuckOnes])
  }
  await compare(t, 'select from stock_levels where stock_id = 1 and item_id = 1 for update', work)
})

test('while a table is locked exclusively, requests that do not need it are answered as before', async (t) => {
  const [client, blocked] = [await addClient(service), await addClient(service)]
  const { data } = await send(client, 'PUT', 'carts/', { name: 'Cart' })
  const work = async (into: Measured, stuck: boolean): Promise<void> => {
    const until = performance.now() + turnMs
    const line = { item_id: 2, stock_id: 1, quantity: 1 }
    const stuckOnes = Array.from({ length: 20 }, async () => {
      if (!stuck) return
      while (performance.now() < until) await send(blocked, 'GET', 'orders/')
    })
    await Promise.all([
      repeat(into, until, async () => (await send(client, 'PUT', `carts/${data.cart_id}/items/`, line)).status),
      repeat(into, until, async () => (await send(client, 'GET', `carts/${data.cart_id}/`)).status),
      ...stuckOnes,
    ])
  }
  await compare(t, 'lock table orders in access exclusive mode', work)
})
