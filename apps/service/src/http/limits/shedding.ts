/**
 * Load shedding: under overload, refusing some requests early keeps the others fast. Overload is a queue, of statements
 * or of turns of the event loop, that is longer than the service can work off in time. Lists are refused first. Orders
 * are refused last, and only when the queue that they would wait in is too long.
 *
 * Who causes the load is refused first: clients that have caused a quarter of it or more. Only when refusing all of
 * their requests does not help, or when there are no such clients, requests of the others are refused too.
 *
 * What is refused rises in quick steps and falls in slow ones. All or nothing would let every client in at once, again
 * and again; and a short burst, which a queue absorbs, is hardly refused at all.
 */
import type { IncomingHttpHeaders } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { Counter, Gauge } from 'prom-client'

/** In the order in which they are refused. */
export const urgencies = ['lists', 'others', 'orders'] as const
export type Urgency = (typeof urgencies)[number]

/** The wait from which each urgency is refused; null for never. */
export type ShedAfterMs = Readonly<Record<Urgency, number>> | null

/** How long a new statement will wait. */
interface WaitMs {
  readonly reading: number
  readonly writing: number
}

/** What shedding needs to know of a route. */
export interface SheddableRoute {
  readonly method: HTTPMethod
  readonly path: string
  readonly urgency?: Urgency | 'never refused'
}

/** What shedding needs to know of the load. */
export interface DatabaseLoad {
  readonly waitMs: () => WaitMs
  /** The part of the recent load, from 0 to 1, that the owner of the key or session has caused; 0 for an unknown one. */
  readonly causedBy: (headers: IncomingHttpHeaders) => number
}

export interface Shedding {
  /** Refuses by the urgency of these routes. Before the call nothing is refused. */
  cover: (routes: readonly SheddableRoute[]) => void
  /** Whether to refuse this request now. The key is not checked for it. */
  refuses: (request: { method?: string; url?: string; headers: IncomingHttpHeaders }) => boolean
  close: () => void
}

const sampleEveryMs = 100 // A burst of a few hundred requests is worked off within it.
const tickEveryMs = 20
const up = 0.15 // From none to all of one kind of client within seven samples.
const down = 0.05 // Back within two seconds.
const heavyPart = 0.25 // Of the load. At most four clients can be heavy, and one of several equal ones never is.

const shed = new Counter({
  name: 'parts_shed_requests_total',
  help: 'Requests refused because the service was overloaded, by urgency (lists, others, orders) and by whether their client caused much of the load (heavy, other).',
  labelNames: ['urgency', 'client'],
})
const wait = new Gauge({
  name: 'parts_expected_wait_seconds',
  help: 'How long a new statement will wait, or how late the event loop is, whichever is longer.',
  aggregator: 'max', // Of several processes.
})

/** How much of one urgency is refused, and who sent such requests since the last sample. */
interface Level {
  /** Up to 1: this part of the heavy clients' requests. Above: all of those, and the rest above 1 of the others'. */
  refused: number
  heavySeen: boolean
  othersSeen: boolean
}

const level = (): Level => ({ refused: 0, heavySeen: false, othersSeen: false })

export function openShedding(shedAfterMs: ShedAfterMs, load: DatabaseLoad): Shedding {
  if (shedAfterMs === null) return { cover: () => undefined, refuses: () => false, close: () => undefined }
  let urgencyOf: ReturnType<typeof urgencyMatcher> = () => undefined
  const levels: Record<Urgency, Level> = { lists: level(), others: level(), orders: level() }
  const loop = watchLoop()
  const timer = setInterval(() => {
    const [{ reading, writing }, late] = [load.waitMs(), loop.delayMs()]
    const longest = Math.max(reading, writing, late)
    const waitMs = { lists: longest, others: longest, orders: Math.max(writing, late) }
    wait.set(longest / 1000)
    for (const urgency of urgencies) {
      if (waitMs[urgency] > shedAfterMs[urgency]) raise(levels[urgency])
      else lower(levels[urgency])
    }
  }, sampleEveryMs).unref()
  return {
    cover: (routes) => {
      urgencyOf = urgencyMatcher(routes)
    },
    refuses: ({ method = '', url = '', headers }) => {
      if (levels.lists.refused === 0) return false // Lists are the first to be refused.
      const urgency = urgencyOf(method, url)
      if (urgency === undefined) return false
      const heavy = load.causedBy(headers) >= heavyPart
      if (Math.random() >= partRefused(levels[urgency], heavy)) return false
      shed.inc({ urgency, client: heavy ? 'heavy' : 'other' })
      return true
    },
    close: () => {
      clearInterval(timer)
      loop.close()
    },
  }
}

/** Skips the heavy clients where there are none, and stops at them where there are no others. */
function raise(level: Level): void {
  const onlyOthers = level.othersSeen && !level.heavySeen
  const from = onlyOthers ? Math.max(1, level.refused) : level.refused
  level.refused = Math.min(level.othersSeen ? 2 : 1, from + up)
  level.heavySeen = level.othersSeen = false
}

function lower(level: Level): void {
  level.refused = Math.max(0, level.refused - down)
  level.heavySeen = level.othersSeen = false
}

function partRefused(level: Level, heavy: boolean): number {
  if (heavy) level.heavySeen = true
  else level.othersSeen = true
  return heavy ? Math.min(1, level.refused) : Math.max(0, level.refused - 1)
}

/** How late the event loop runs a timer: the smallest of the last few delays, since one long turn is no overload. */
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

/**
 * Finds the urgency of a request by method and path; undefined for requests that are never refused, such as health
 * checks.
 */
export function urgencyMatcher(
  routes: readonly SheddableRoute[],
): (method: string, url: string) => Urgency | undefined {
  const router = findMyWay(routerOptions)
  for (const { method, path, urgency = defaultUrgency(method, path.endsWith('}/')) } of routes)
    router.on(method, routerPath(path), () => undefined, urgency)
  return (method, url) => {
    const as = (method === 'HEAD' ? 'GET' : method) as HTTPMethod // Any other method finds no route.
    const urgency = router.find(as, url)?.store as SheddableRoute['urgency']
    if (urgency !== undefined) return urgency === 'never refused' ? undefined : urgency
    // No such route, but below /api/v1/ or /operator/v1/: it will be a 404 or 405.
    const [path = ''] = url.split('?', 1)
    return /^\/(api|operator)\/v1\/./.test(path) ? defaultUrgency(as, !/\/[a-z-]+\/?$/.test(path)) : undefined
  }
}

/** A list is the most expensive to answer, and can be requested again. */
const defaultUrgency = (method: string, endsInId: boolean): Urgency =>
  method === 'GET' && !endsInId ? 'lists' : 'others'

/** For this router and Fastify's, which is the same: both find the same route. */
export const routerOptions = {
  ignoreTrailingSlash: true,
  maxParamLength: 500, // Longer than any id, so that an overlong id gets `field_invalid` and not `route_not_found`.
  querystringParser: () => ({}), // Routes parse the query themselves, strictly.
}

/** As the routers write it: `/orders/:order_id/`. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')
