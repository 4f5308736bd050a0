/**
 * Under overload, refusing some early keeps the others fast. Overload is a queue that is longer than what is worked off in time: of
 * statements, or of turns of the event loop. What can wait is refused first; orders only for the queue that they would wait in themselves.
 *
 * How much is refused follows step by step, up quickly and down slowly: all or nothing would let everyone in at once, again and again,
 * and a burst that a queue evens out is hardly refused at all.
 */
import { Counter, Gauge } from 'prom-client'
import type { Route } from './route.ts'
import type { WaitMs } from '../postgres/lanes.ts'
import { Refusal } from '../refusals.ts'

/** In the order in which they are refused. */
export const urgencies = ['lists', 'others', 'orders'] as const
export type Urgency = (typeof urgencies)[number]

/** From which wait on each is refused; null for never. */
export type ShedAfterMs = Readonly<Record<Urgency, number>> | null

export interface Shedding {
  /** Throws a Refusal when this one is to be refused now. */
  admit: (urgency: Urgency) => void
  close: () => void
}

const lookEveryMs = 100 // A burst of a few hundred requests is worked off within it.
const tickEveryMs = 20
const up = 0.15 // All are refused after seven looks.
const down = 0.05 // All are let in after two seconds.

const shed = new Counter({
  name: 'parts_shed_requests_total',
  help: 'Requests refused because the service was overloaded, by urgency (lists, others, orders).',
  labelNames: ['urgency'],
})
const wait = new Gauge({
  name: 'parts_expected_wait_seconds',
  help: 'What a statement that comes now will wait for, or by how much turns of the event loop are late.',
  aggregator: 'max', // Of several processes.
})

export function openShedding(shedAfterMs: ShedAfterMs, statementsWaitMs: () => WaitMs): Shedding {
  if (shedAfterMs === null) return { admit: () => undefined, close: () => undefined }
  const share: Record<Urgency, number> = { lists: 0, others: 0, orders: 0 }
  const loop = watchLoop()
  const timer = setInterval(() => {
    const [{ reading, writing }, late] = [statementsWaitMs(), loop.delayMs()]
    const longest = Math.max(reading, writing, late)
    const waitMs = { lists: longest, others: longest, orders: Math.max(writing, late) }
    wait.set(longest / 1000)
    for (const urgency of urgencies) {
      const step = waitMs[urgency] > shedAfterMs[urgency] ? up : -down
      share[urgency] = Math.min(1, Math.max(0, share[urgency] + step))
    }
  }, lookEveryMs).unref()
  return {
    admit: (urgency) => {
      if (share[urgency] === 0 || Math.random() >= share[urgency]) return
      shed.inc({ urgency })
      throw new Refusal('overloaded', {})
    },
    close: () => {
      clearInterval(timer)
      loop.close()
    },
  }
}

/** How late the event loop comes to a timer, at its best of the last few times: one long turn is no overload. */
function watchLoop(): { delayMs: () => number; close: () => void } {
  const lateMs = Array.from({ length: 5 }, () => 0)
  let ticks = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    lateMs[ticks++ % lateMs.length] = now - last - tickEveryMs
    last = now
  }, tickEveryMs).unref()
  return { delayMs: () => Math.max(0, Math.min(...lateMs)), close: () => clearInterval(timer) }
}

/** What goes on as long as anything does: what the service is for, and how an operator takes its key from a program gone wild. */
const mostUrgent = ['PUT /api/v1/orders/', 'PATCH /operator/v1/keys/{key_id}/', 'DELETE /operator/v1/keys/{key_id}/']

/** Whoever is about to order reads here what has to be sent. */
const beforeOrders = 'GET /api/v1/carts/{cart_id}/items/'

/** A list can be asked for again, and is the dearest to answer. */
export function urgencyOf({ method, path }: Pick<Route, 'method' | 'path'>): Urgency {
  const operation = `${method} ${path}`
  if (mostUrgent.includes(operation)) return 'orders'
  return method === 'GET' && !path.endsWith('}/') && operation !== beforeOrders ? 'lists' : 'others'
}
