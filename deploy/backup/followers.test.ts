/**
 * A backup is taken, the service goes on, the backup is restored: what each kind of follower meets, and how it goes on.
 * Real processes, the real client and a real receiver of webhooks. The backup is a dump; restore.campaign.ts has the
 * other kind, and the numbers are raised in the same way.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { createClient, ExpiredError, type Event, type PartsClient } from '../../packages/client/src/index.ts'
import { createOperatorClient, type FeedEvent } from '../../packages/client/src/operator.ts'
import { issueOperatorKey } from '../../apps/service/src/keys/issue-operator-key.ts'
import { openMainDatabase } from '../../apps/service/src/commands/connection.ts'
import { readConfig } from '../../apps/service/src/config.ts'
import { invariantsSql } from '../../apps/service/src/invariants/check-invariants.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../apps/service/src/testing/database.ts'
import { dumpOf, restoreDump, withoutDump } from '../../apps/service/src/testing/dump.ts'
import { addClient, addFixtures, address, byTheTests } from '../../apps/service/src/testing/fixtures.ts'
import { eventually, mainFile, startProcess, type Running } from '../../apps/service/src/testing/process.ts'
import { numberOf, startReceiver, type Receiver } from '../../apps/service/src/testing/network/receiver.ts'

const margin = 1_000_000
const processes: Running[] = []
let original: TestDatabase
let restored: TestDatabase
let receiver: Receiver
let key: string
let operatorKey: string

before(async () => {
  receiver = await startReceiver()
  original = await createTestDatabase()
  restored = await createEmptyDatabase()
  const db = openMainDatabase(readConfig({ DATABASE_URL: original.url }))
  try {
    const service = { sql: original.query, db }
    await addFixtures(service)
    key = (await addClient(service)).key
    operatorKey = (await issueOperatorKey(db, { operator_name: 'Anna Berg', role: 'admin', ...byTheTests })).key
  } finally {
    await db.close()
  }
})
after(async () => {
  await stop()
  receiver.close()
  await original.drop()
  await restored.drop()
})

/** Starts an API and a worker; returns the API's address. */
async function start({ url }: TestDatabase): Promise<string> {
  const settings = {
    DATABASE_URL: url, PORT: '0', METRICS_PORT: '0', WORKER_PORT: '0', WORKER_METRICS_PORT: '0', RATE_LIMIT: 'off', SHED_AFTER_MS: 'off',
    SHUTDOWN_DELAY_MS: '0', STATEMENT_TIMEOUT_MS: '60000', WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true',
  } // prettier-ignore
  const [api, worker] = await Promise.all([startProcess('api', settings), startProcess('worker', settings)])
  processes.push(api, worker)
  return api.address
}

async function stop(): Promise<void> {
  for (const { child } of processes.splice(0)) {
    child.kill('SIGTERM')
    await eventually(async () => child.exitCode !== null || child.signalCode !== null)
  }
}

interface Placed {
  readonly cart_id: number
  readonly order_id: number
}

async function place(client: PartsClient): Promise<Placed> {
  const { cart_id } = await client.createCart({ name: 'Cart' })
  await client.addCartItem({ cart_id, item_id: 1, stock_id: 1, quantity: 1 })
  const [group] = await client.listCartItems({ cart_id })
  assert(group !== undefined)
  const placed = await client.orders.placeAsShown(group, address)
  assert(placed.placed)
  return { cart_id, order_id: placed.created_order_id }
}

const delivered = (webhook_id: number, number: number) => async (): Promise<boolean> =>
  ids().includes(`evt_${webhook_id}_${number}`)
const ids = (): string[] => receiver.received.map(({ headers }) => String(headers['webhook-id']))
const types = (): string[] => receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)

/** The events after a number, up to one that fits. */
async function followTo(client: PartsClient, from: number, last: (event: Event) => boolean): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of client.events.follow({ after: from })) {
    events.push(event)
    if (last(event)) break
  }
  return events
}

const isOrder =
  (order_id: number) =>
  (event: Event): boolean =>
    event.event_type === 'order.created' && event.order_id === order_id

test('after a restore no id is used twice, and readers, feeds and webhooks go on', { skip: withoutDump }, async () => {
  const url = await start(original)
  const client = createClient({ url, key })
  const { webhook_id } = await client.createWebhook({ url: `${receiver.url}/hook` })
  const kept = [await place(client), await place(client)]
  const [, second] = kept
  assert(second !== undefined)
  const before_ = await followTo(client, 0, isOrder(second.order_id))
  const atBackup = before_.at(-1)?.event_number ?? 0
  await eventually(delivered(webhook_id, atBackup))
  // Recorded, but not delivered at the moment of the backup.
  receiver.pause(true)
  const waiting = await place(client)
  const dump = dumpOf(original.url)
  receiver.pause(false)

  // What is lost: two orders, a webhook, and what was delivered to both.
  const lost = [await place(client), await place(client)]
  const lostWebhook = await client.createWebhook({ url: `${receiver.url}/other` })
  const last = lost.at(-1)
  assert(last !== undefined)
  const { order_id: lastOrder } = await place(client)
  const seen = await followTo(client, 0, isOrder(lastOrder))
  const lastNumber = seen.at(-1)?.event_number ?? 0
  await eventually(delivered(webhook_id, lastNumber))
  await eventually(delivered(lostWebhook.webhook_id, lastNumber))
  const { next_cursor } = await createOperatorClient({ url, key: operatorKey }).followEvents({ limit: 500 })
  await stop()

  restoreDump(dump, restored.url)
  await assert.rejects(startProcess('worker', { DATABASE_URL: restored.url }), /run main\.ts after-restore/)
  const earlier = ids()
  receiver.received.length = 0
  const printed = execFileSync(process.execPath, [mainFile, 'after-restore'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: restored.url },
    encoding: 'utf8',
  })
  assert.match(printed, /All numbers were advanced by 1000000/)

  const restoredUrl = await start(restored)
  const again = createClient({ url: restoredUrl, key })
  // The reader of events learns where to go on, lists the orders, and misses nothing from there on.
  const expired = await again.readEvents({ after: lastNumber }).catch((error: unknown) => error)
  assert(expired instanceof ExpiredError, String(expired))
  const { first_event_number } = expired.details
  assert(first_event_number > lastNumber)
  const orders = await Array.fromAsync(again.orders.list())
  assert.deepEqual(
    orders.map(({ order_id }) => order_id).toSorted((a, b) => a - b),
    [...kept, waiting].map(({ order_id }) => order_id),
  )
  const next = await place(again)
  const events = await followTo(again, first_event_number - 1, isOrder(next.order_id))
  assert.equal(events.filter(({ event_type }) => event_type === 'service.restored').length, 1)
  assert.deepEqual(
    events.filter(({ event_type }) => event_type === 'order.created').map(({ order_id }) => order_id),
    [...kept, waiting, next].map(({ order_id }) => order_id),
  )
  const seenNumbers = new Set(seen.map(({ event_number }) => event_number))
  assert(events.every(({ event_number }) => !seenNumbers.has(event_number)))

  // A reader of the operators' feed goes on from its cursor, although that is after events that were lost.
  const operator = createOperatorClient({ url: restoredUrl, key: operatorKey })
  const feed: FeedEvent[] = []
  for await (const batch of operator.events.follow({ limit: 500, cursor: next_cursor })) {
    feed.push(...batch.events)
    if (feed.some(({ order_id }) => order_id === next.order_id)) break
  }
  assert.deepEqual(
    feed.map(({ event_number }) => event_number),
    events.slice(-2).map(({ event_number }) => event_number),
  )

  // The endpoint gets what it had not got at the backup, the note, and what is new; nothing with an id that it has seen.
  const newest = events.at(-1)?.event_number ?? 0
  await eventually(delivered(webhook_id, newest))
  assert.deepEqual(types(), ['order.created', 'service.restored', 'order.created'])
  assert.deepEqual(receiver.received.map(numberOf), [newest - 2, newest - 1, newest])
  assert.deepEqual(ids().filter((id) => earlier.includes(id)), []) // prettier-ignore

  // Ids that clients have seen are not given out again.
  assert(next.order_id > lastOrder && next.order_id <= lastOrder + margin + 10)
  assert(next.cart_id > last.cart_id)
  const { webhook_id: newWebhook } = await again.createWebhook({ url: `${receiver.url}/other` })
  assert(newWebhook > lostWebhook.webhook_id)
  assert.deepEqual(await restored.query(invariantsSql.text), [])
})
