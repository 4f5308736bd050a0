/**
 * Under overload, refusing some early keeps the others fast. Overload is not that many ask at once, which a queue evens out, but
 * a queue that stays: even the quickest statement waits, or every turn of the event loop comes late. What can wait is refused first.
 *
 * How much is refused follows step by step, up quickly and down slowly: all or nothing would let everyone in at once, again and again.
 */
import { Counter, Gauge } from 'prom-client'
import type { Route } from './route.ts'
import { Refusal } from '../refusals.ts'

/** In the order in which they are refused. */
export const urgencies = ['lists', 'others', 'orders'] as const
export type Urgency = (typeof urgencies)[number]

/** After which standing delay each is refused; null for never. */
export type ShedAfterMs = Readonly<Record<Urgency, number>> | null

export interface Shedding {
  /** Throws a Refusal when this one is to be refused now. */
  admit: (urgency: Urgency) => void
  close: () => void
}

const lookEveryMs = 100 // A burst of a few hundred requests is worked off within it.
const tickEveryMs = 20
const up = 0.25 // All are refused after four looks.
const down = 0.05 // All are let in after two seconds.

const shed = new Counter({
  name: 'parts_shed_requests_total',
  help: 'Requests refused because the service was overloaded, by urgency (lists, others, orders).',
  labelNames: ['urgency'],
})
const standingDelay = new Gauge({
  name: 'parts_standing_delay_seconds',
  help: 'What even the quickest statement, or turn of the event loop, had to wait lately.',
  aggregator: 'max', // Of several processes.
})

export function openShedding(shedAfterMs: ShedAfterMs, statementsDelayMs: () => number): Shedding {
  if (shedAfterMs === null) return { admit: () => undefined, close: () => undefined }
  const share: Record<Urgency, number> = { lists: 0, others: 0, orders: 0 }
  const loop = watchLoop()
  const timer = setInterval(() => {
    const delayMs = Math.max(statementsDelayMs(), loop.delayMs())
    standingDelay.set(delayMs / 1000)
    for (const urgency of urgencies) {
      const step = delayMs > shedAfterMs[urgency] ? up : -down
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

/** Placing an order is what the service is for; a list can be asked for again, and is the dearest to answer. */
export function urgencyOf({ method, path }: Pick<Route, 'method' | 'path'>): Urgency {
  if (method === 'PUT' && path === '/api/v1/orders/') return 'orders'
  return method === 'GET' && !path.endsWith('}/') ? 'lists' : 'others'
}
