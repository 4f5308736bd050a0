/**
 * Simulated traffic for `npm run demo -- --live`, so that events and webhooks have something to show: both clients order every
 * few seconds, now and then change or cancel an order, and an operator decides a few seconds later. The operator also
 * starts to process your own orders, and accepts your requests. All of it are requests that any program could send.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoKeys } from './demo-keys.ts'

interface Pace {
  readonly orderEveryMs: number
  readonly decideAfterMs: number
}

const livePace: Pace = { orderEveryMs: 4_000, decideAfterMs: 3_000 }
const liveReference = 'LIVE-' // Marks the orders of this trade. They go all the way; yours wait in processing.
const itemsInCatalogue = 2_000
const feedWaitSeconds = 10
const retryAfterMs = 500 // On a busy machine the service refuses requests.

/** Trades until the returned function is called. */
export function playTrade(baseUrl: string, keys: DemoKeys, pace: Pace = livePace): () => Promise<void> {
  const stop = new AbortController()
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stop.signal })
  const send = sender(baseUrl, stop.signal)
  const ended = Promise.allSettled([
    buy(send, keys, () => pause(pace.orderEveryMs)),
    operate(send, keys, () => pause(pace.decideAfterMs)),
  ])
  return async () => {
    stop.abort()
    await ended
  }
}

async function buy(send: Send, keys: DemoKeys, pause: () => Promise<void>): Promise<void> {
  for (let n = 1; ; n++) {
    await pause()
    await placeOrder(send, n % 2 === 0 ? keys.client_a : keys.client_b, n).catch(passOver)
  }
}

/** Requests a change of every third order, and the cancellation of every fifth. */
async function placeOrder(send: Send, key: string, n: number): Promise<void> {
  const { cart_id } = await send<{ cart_id: number }>(key, 'PUT', '/api/v1/carts/', { name: `Live ${n}` })
  const lines = `/api/v1/carts/${cart_id}/items/`
  await send(key, 'PUT', lines, { item_id: 1 + ((n * 37) % itemsInCatalogue), stock_id: 1, quantity: 2 })
  const groups = await send<{ cart_group_key: string }[]>(key, 'GET', lines)
  for (const { cart_group_key } of groups) {
    const address = { zip: '10115', country_code: 'DE', region_code: 'DE-BE', city: 'Berlin', street: 'Torstrasse' }
    const form = { cart_group_key, ...address, home: 1, reference: `${liveReference}${n}` }
    const { created_order_id } = await send<{ created_order_id: number }>(key, 'PUT', '/api/v1/orders/', form)
    const order = `/api/v1/orders/${created_order_id}/`
    if (n % 3 === 0) {
      const ordered = await send<{ order_item_id: number }[]>(key, 'GET', `${order}items/`)
      for (const { order_item_id } of ordered)
        await send(key, 'PATCH', `${order}items/${order_item_id}/`, { quantity: 1 })
    }
    if (n % 5 === 0) await send(key, 'DELETE', order)
  }
  await send(key, 'DELETE', `/api/v1/carts/${cart_id}/`)
}

interface LiveEvent {
  readonly event_number: number
  readonly event_type: string
  readonly order_id: number | null
  readonly data: {
    readonly order_state_id?: string
    readonly reference?: string | null
    readonly adjustment_id?: number
  }
}

interface LiveFeed {
  readonly events: readonly LiveEvent[]
  readonly next_cursor: string
}

/** Decides what happens from now on, and leaves alone what happened before. */
async function operate(send: Send, { operator, ...clients }: DemoKeys, pause: () => Promise<void>): Promise<void> {
  // The feed shows an event when all older transactions of the server have ended, so some of these may still be to come.
  const past = new Set([
    ...(await eventsOf(send, clients.client_a)).map(nameOf),
    ...(await eventsOf(send, clients.client_b)).map(nameOf),
  ])
  for (let query = 'from=now'; ;) {
    const feed: LiveFeed = await send<LiveFeed>(operator, 'GET', `/operator/v1/events/?${query}`)
    query = `limit=100&wait=${feedWaitSeconds}&cursor=${encodeURIComponent(feed.next_cursor)}`
    for (const event of feed.events.filter((one) => !past.has(nameOf(one))))
      void decide(send, operator, event, pause).catch(passOver)
  }
}

const nameOf = ({ order_id, event_number }: LiveEvent): string => `${order_id} ${event_number}`

async function eventsOf(send: Send, key: string): Promise<LiveEvent[]> {
  const events: LiveEvent[] = []
  for (let query = 'limit=500'; ;) {
    const page = await send<LiveEvent[]>(key, 'GET', `/api/v1/events/?${query}`)
    const last = page.at(-1)
    if (last === undefined) return events
    events.push(...page)
    query = `limit=500&after=${last.event_number}`
  }
}

async function decide(send: Send, key: string, event: LiveEvent, pause: () => Promise<void>): Promise<void> {
  const decision = decisionOn(event)
  if (decision === undefined) return
  await pause()
  await send(key, 'POST', `/operator/v1/${decision.path}`, decision.body)
}

function decisionOn({ event_type, order_id, data }: LiveEvent): { path: string; body?: object } | undefined {
  if (event_type === 'adjustment.created') return { path: `adjustments/${data.adjustment_id}/accept/` }
  if (event_type !== 'order.created' && event_type !== 'order.state_changed') return undefined
  const { order_state_id = '', reference } = data
  if (order_state_id === 'zayavka-na-otmen') return { path: `orders/${order_id}/cancellation/accept/` }
  const state_id = nextStates[order_state_id]
  const isLive = reference?.startsWith(liveReference) ?? false
  if (state_id === undefined || (order_state_id !== 'new' && !isLive)) return undefined
  return { path: `orders/${order_id}/move/`, body: { state_id } }
}

const nextStates: Readonly<Record<string, string>> = {
  new: 'processing',
  processing: 'fulfilling',
  fulfilling: 'shipped',
  shipped: 'completed',
}

/** What is refused does no harm: the goods are sold out, or the reader was faster. */
const passOver = (): void => undefined

type Send = <T>(key: string, method: string, path: string, fields?: object) => Promise<T>

/** Clients send forms, operators JSON. */
function sender(baseUrl: string, signal: AbortSignal): Send {
  return async <T>(authorization: string, method: string, path: string, fields?: object) => {
    const isJson = path.startsWith('/operator/')
    const form = (): URLSearchParams =>
      new URLSearchParams(Object.entries(fields ?? {}).map(([name, value]) => [name, String(value)]))
    const request = (): Promise<Response> =>
      fetch(baseUrl + path, {
        method,
        signal,
        headers: { authorization, ...(fields && isJson && { 'content-type': 'application/json' }) },
        ...(fields && { body: isJson ? JSON.stringify(fields) : form() }),
      })
    let response = await request()
    for (; response.status === 503; response = await request()) await sleep(retryAfterMs, undefined, { signal })
    const { status, data, errors } = (await response.json()) as { status: string; data: T; errors?: unknown }
    if (status !== 'ok') throw new Error(`${method} ${path}: ${JSON.stringify(errors)}`)
    return data
  }
}
