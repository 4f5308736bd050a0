/**
 * Under overload, refusing some early keeps the others fast. Overload is a queue that is longer than what is worked off in time: of
 * statements, or of turns of the event loop. What can wait is refused first; orders only for the queue that they would wait in themselves.
 *
 * How much is refused follows step by step, up quickly and down slowly: all or nothing would let everyone in at once, again and again,
 * and a burst that a queue evens out is hardly refused at all.
 */
import { Counter, Gauge } from 'prom-client'

/** In the order in which they are refused. */
export const urgencies = ['lists', 'others', 'orders'] as const
export type Urgency = (typeof urgencies)[number]

/** From which wait on each is refused; null for never. */
export type ShedAfterMs = Readonly<Record<Urgency, number>> | null

/** How long a statement that comes now will wait. */
interface WaitMs {
  readonly reading: number
  readonly writing: number
}

export interface Shedding {
  /** Whether this one is to be refused now. */
  refuses: (method: string, url: string) => boolean
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
  if (shedAfterMs === null) return { refuses: () => false, close: () => undefined }
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
    refuses: (method, url) => {
      if (share.lists === 0) return false // They are the first to be refused.
      const urgency = urgencyOf(method, url)
      if (urgency === undefined || Math.random() >= share[urgency]) return false
      shed.inc({ urgency })
      return true
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

/** What the service is for; and how an operator takes its key from a program gone wild. */
const mostUrgent = /^(PUT \/api\/v1\/orders|(PATCH|DELETE) \/operator\/v1\/keys\/\d+)$/
/** Whoever is about to order reads here what has to be sent. */
const beforeOrders = /^GET \/api\/v1\/carts\/\d+\/items$/
/** A list can be asked for again, and is the dearest to answer. Reading one thing ends in its number. */
const list = /^GET \/.*\/[a-z-]+$/
/** Imports have connections of their own. Health and documentation are outside of both. */
const refusable = /^[A-Z]+ \/(api\/v1|operator\/v1(?!\/imports))\//

/** By the first line alone; undefined for what is never refused. */
export function urgencyOf(method: string, url: string): Urgency | undefined {
  const operation = `${method === 'HEAD' ? 'GET' : method} ${url.replace(/\/?(\?.*)?$/, '')}`
  if (!refusable.test(operation)) return undefined
  if (mostUrgent.test(operation)) return 'orders'
  return list.test(operation) && !beforeOrders.test(operation) ? 'lists' : 'others'
}
