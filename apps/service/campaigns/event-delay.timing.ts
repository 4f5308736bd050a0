/**
 * How long after its answer a change is seen in the operators' feed and by webhook, with nothing else on the server, and
 * beside a transaction of another database that has written something and stays open.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createScratchDatabase, type ScratchDatabase } from 'pg-statements/testing.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../src/testing/fixtures.ts'
import { startReceiver, type Receiver } from '../src/testing/network/receiver.ts'
import { lastEvents } from '../src/testing/events.ts'
import { makeOperators, type Operators } from '../src/testing/operators.ts'
import { percentile } from '../src/testing/percentile.ts'
import { eventually, startProcess, type Running } from '../src/testing/process.ts'
import { startService, type TestService } from '../src/testing/service.ts'

const rounds = Number(process.env['DELAY_ROUNDS'] ?? 6)
const roundMs = 10_000 // Six rounds are 60 s of each kind.
const pauseMs = 100
const ratioMax = 1.5 // Of medians; without the foreign transaction's effect they differ by a tenth on a busy machine.

let service: TestService
let operators: Operators
let me: TestClient
let receiver: Receiver
let elsewhere: ScratchDatabase
const running: Running[] = []
/** When each order was answered, seen in the feed and received, by its id. */
const seen = { feed: new Map<number, number>(), webhook: new Map<number, number>() }
const stopping = new AbortController()
let following: Promise<void>

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  me = await addClient(service)
  elsewhere = await createScratchDatabase()
  await elsewhere.query('create table t (n integer)')
  receiver = await startReceiver()
  const settings = {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    METRICS_PORT: '0',
    WORKER_PORT: '0',
    WORKER_METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    WEBHOOKS_ALLOW_HTTP: 'true',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
  }
  running.push(await startProcess('api', settings), await startProcess('worker', settings))
  await shopper({ ...service, request: overHttp }, me).ok('PUT', '/api/v1/webhooks/', { url: receiver.url })
  const { next_cursor } = await lastEvents(service, operators)
  following = follow(next_cursor)
})
after(async () => {
  stopping.abort()
  await following
  for (const { child } of running) child.kill('SIGKILL')
  receiver.close()
  await elsewhere.drop()
  await service.close()
})

/** To the process that is measured. */
const overHttp: TestService['request'] = async (method, path, { key = '', form } = {}) => {
  const body = form && new URLSearchParams(Object.entries(form).map(([name, value]) => [name, String(value)]))
  const answer = await fetch(`${running[0]?.address}${path}`, {
    method,
    headers: { authorization: key },
    ...(body && { body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: {}, text, body: JSON.parse(text) }
}

async function follow(from: string): Promise<void> {
  const headers = { authorization: operators.keys.admin }
  for (let cursor = from; !stopping.signal.aborted;) {
    const url = `${running[0]?.address}/operator/v1/events/?limit=500&wait=2&cursor=${encodeURIComponent(cursor)}`
    const { data } = (await (await fetch(url, { headers })).json()) as { data: Page }
    for (const { data: order } of data.events) seen.feed.set(Number(order.order_id), performance.now())
    cursor = data.next_cursor
  }
}

interface Page {
  readonly events: readonly { readonly data: { readonly order_id?: number } }[]
  readonly next_cursor: string
}

/** Places orders for a while; the delays of each. */
async function measure(): Promise<{ feed: number[]; webhook: number[] }> {
  const shop = shopper({ ...service, request: overHttp }, me)
  const placed = new Map<number, number>()
  const cart_id = await shop.createCart()
  for (const end = performance.now() + roundMs; performance.now() < end;) {
    await shop.add(cart_id, { item_id: 1, quantity: 1 })
    placed.set(await shop.order(cart_id), performance.now())
    await new Promise((resolve) => setTimeout(resolve, pauseMs * Math.random() * 2))
  }
  await eventually(async () => {
    for (const { body, at } of receiver.received.splice(0)) {
      const { data } = JSON.parse(body) as { data: { order_id?: number } }
      if (data.order_id !== undefined) seen.webhook.set(data.order_id, at)
    }
    return [...placed.keys()].every((id) => seen.feed.has(id) && seen.webhook.has(id))
  })
  const delays = (at: ReadonlyMap<number, number>): number[] =>
    [...placed].map(([id, answered]) => (at.get(id) ?? Infinity) - answered)
  return { feed: delays(seen.feed), webhook: delays(seen.webhook) }
}

async function measureBesideOpenTransaction(): ReturnType<typeof measure> {
  const session = new pg.Client({ connectionString: elsewhere.url })
  await session.connect()
  await session.query('begin; insert into t values (1)')
  const measured = await measure()
  await session.query('rollback')
  await session.end()
  return measured
}

test('an open transaction of another database delays neither the feed nor webhooks', async () => {
  const kinds = { alone: measure, control: measure, beside: measureBesideOpenTransaction }
  const all = { alone: empty(), control: empty(), beside: empty() }
  await measure() // To warm up.
  for (let round = 0; round < rounds; round++)
    for (const [kind, run] of Object.entries(kinds)) {
      const { feed, webhook } = await run()
      all[kind as keyof typeof all].feed.push(...feed)
      all[kind as keyof typeof all].webhook.push(...webhook)
    }
  for (const way of ['feed', 'webhook'] as const) {
    const of = (kind: keyof typeof all, share: number): number => percentile(all[kind][way], share)
    for (const kind of ['alone', 'control', 'beside'] as const)
      console.log(
        `${way} ${kind}: p50 ${of(kind, 0.5).toFixed(1)} ms, p99 ${of(kind, 0.99).toFixed(1)} ms, ${all[kind][way].length} orders`,
      )
    const ratio = of('beside', 0.5) / of('alone', 0.5)
    assert(ratio < ratioMax, `${way}: ${ratio.toFixed(2)} times the delay.`)
  }
})

const empty = (): { feed: number[]; webhook: number[] } => ({ feed: [], webhook: [] })
