/**
 * Finds endpoints that have something to be sent, takes them, and delivers to many at once, until it is stopped. Several processes may
 * do so: each endpoint is held by one. Nothing is lost, since what an endpoint lacks follows from its own position and the number of its
 * client's events: a look at new events makes it quick, and a patrol over all endpoints finds whatever such a look has missed.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { deliverToEndpoint, type Delivering, type HeldEndpoint } from './deliver-to-endpoint.ts'
import { inFlight, lackingEvents, waiting } from './delivery-metrics.ts'
import { sendTestEvents } from './send-test-events.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, int8Array, nullable, text, textArray } from 'pg-statements/types.ts'

const findDueWebhooksSql = statement(new URL('find-due-webhooks.sql', import.meta.url), {
  parameters: { seen: text, events_max: int8, retries_max: int8 },
  columns: { seen: text, client_id: nullable(int8), webhook_id: nullable(int8), event_number: nullable(int8) },
})
const patrolWebhooksSql = statement(new URL('scan-webhooks.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { client_id: int8, webhook_id: int8, lacking: int8, active: bool, due: bool },
})
const claimWebhooksSql = statement(new URL('claim-webhooks.sql', import.meta.url), {
  parameters: { webhook_ids: int8Array, lease: text, lease_ms: int4 },
  columns: {
    client_id: int8,
    webhook_id: int8,
    url: text,
    event_types: textArray,
    secret: text,
    previous_secret: nullable(text),
    delivered_event_number: int8,
    event_number: int8,
    attempts: int4,
  },
})
const renewLeasesSql = statement(new URL('renew-leases.sql', import.meta.url), {
  parameters: { webhook_ids: int8Array, leases: textArray, lease_ms: int4 },
  columns: { webhook_id: int8 },
})
const releaseWebhookSql = statement(new URL('release-webhook.sql', import.meta.url), {
  parameters: { client_id: int8, webhook_id: int8, lease: text },
  columns: {},
})

const lookEveryMs = 50
const patrolEveryMs = 500
const patrolPage = 1_000 // Ten thousand endpoints are seen every 5 seconds; a page takes some milliseconds.
const testsEveryMs = 500
const eventsALookMax = 2_000 // Of 50 milliseconds: more than PostgreSQL writes.
const retriesALookMax = 200
const quickAtOnceMax = 300 // Sockets and a few kilobytes each.
const slowAtOnceMax = 100 // So that endpoints that fail or are slow, however many, leave room for those that are not.
const slowMs = 1_000 // Most answer within a tenth of it.
const endpointsAtOnceMax = 1_000 // Those that turn out to hang, for 15 seconds, are slow from the first on, and give their place to others.
const endpointsOfAClientMax = 10 // Half of what it may have: nobody takes all the places.
const claimsAtOnceMax = 100
const testsALookMax = 20
const testsAtOnceMax = 50 // Each may hang for 15 seconds.

export interface WebhookDelivery {
  /** Lets the requests under way finish, and lets go of their endpoints. */
  readonly stop: () => Promise<void>
}

interface Wanted {
  readonly client_id: number
  /** It has failed before. */
  readonly again: boolean
}

interface InFlight {
  readonly client_id: number
  readonly lease: string
  readonly lost: AbortController
  heldUntil: number
  /** It has failed before, or was slow the last time. */
  hampered: boolean
  /** When it was taken, or has last taken an event. */
  waitsSince: number
  /** A newer event was seen for it while it was in flight. */
  moreSeen: boolean
  done: Promise<void>
}

export function startWebhookDelivery(parts: Delivering & { readonly logger: Logger }): WebhookDelivery {
  const { db, leaseMs, logger } = parts
  const stopping = new AbortController()
  const stopped = stopping.signal
  /** Known to have something due, oldest first. */
  const wanted = new Map<number, Wanted>()
  const flights = new Map<number, InFlight>()
  /** Those that were slow to take the last event. */
  const slow = new Set<number>()
  /** The newest event that each endpoint was wanted for. A long transaction lets the same ones be seen at each look. */
  const seenNumbers = new Map<number, number>()
  let seen = '0'

  async function look(): Promise<void> {
    const rows = await db.rows(findDueWebhooksSql, { seen, events_max: eventsALookMax, retries_max: retriesALookMax })
    for (const { client_id, webhook_id, event_number } of rows) {
      if (client_id === null || webhook_id === null) continue
      if (event_number === null) want(webhook_id, { client_id, again: true })
      else if ((seenNumbers.get(webhook_id) ?? 0) < event_number) {
        seenNumbers.set(webhook_id, event_number)
        want(webhook_id, { client_id, again: false })
      }
    }
    seen = rows[0]?.seen ?? seen
    await claim()
  }

  function want(webhook_id: number, wish: Wanted): void {
    const flight = flights.get(webhook_id)
    if (flight !== undefined) flight.moreSeen ||= !wish.again
    else if (!wanted.has(webhook_id)) wanted.set(webhook_id, wish)
  }

  let claiming: Promise<void> | undefined
  async function claim(): Promise<void> {
    if (claiming !== undefined) return
    claiming = takeAll()
    try {
      await claiming
    } finally {
      claiming = undefined
      waiting.set(wanted.size)
    }
  }

  async function takeAll(): Promise<void> {
    for (let picked = next(); picked.size > 0 && !stopped.aborted; picked = next()) await take(picked)
  }

  /** The next ones that there is room for. */
  function next(): Map<number, Wanted> {
    const late = performance.now() - slowMs
    const ofClients = new Map<number, number>()
    let [quickRoom, slowRoom] = [quickAtOnceMax, slowAtOnceMax]
    for (const { client_id, hampered, waitsSince } of flights.values()) {
      ofClients.set(client_id, (ofClients.get(client_id) ?? 0) + 1)
      if (hampered || waitsSince < late) slowRoom--
      else quickRoom--
    }
    const picked = new Map<number, Wanted>()
    for (const [webhook_id, wish] of wanted) {
      if (picked.size === claimsAtOnceMax || flights.size + picked.size >= endpointsAtOnceMax) break
      const { client_id, again } = wish
      const ofClient = ofClients.get(client_id) ?? 0
      const isSlow = again || slow.has(webhook_id)
      if (ofClient >= endpointsOfAClientMax || (isSlow ? slowRoom : quickRoom) <= 0) continue
      picked.set(webhook_id, wish)
      ofClients.set(client_id, ofClient + 1)
      if (isSlow) slowRoom--
      else quickRoom--
    }
    return picked
  }

  /** What is wanted while the claim is under way is wanted anew: the claim may not see it. */
  async function take(picked: Map<number, Wanted>): Promise<void> {
    const webhook_ids = [...picked.keys()]
    for (const id of webhook_ids) wanted.delete(id)
    const [lease, heldUntil] = [randomUUID(), performance.now() + leaseMs]
    try {
      const held = await db.rows(claimWebhooksSql, { webhook_ids, lease, lease_ms: leaseMs })
      for (const endpoint of held) launch(endpoint, { lease, heldUntil })
    } catch (error) {
      for (const [id, wish] of picked) want(id, wish)
      throw error
    }
  }

  function launch(endpoint: HeldEndpoint, claimed: Pick<InFlight, 'lease' | 'heldUntil'>): void {
    const { client_id, webhook_id } = endpoint
    const lost = new AbortController()
    const flight: InFlight = {
      ...claimed,
      client_id,
      lost,
      hampered: endpoint.attempts > 0 || slow.has(webhook_id),
      waitsSince: performance.now(),
      moreSeen: wanted.delete(webhook_id),
      done: Promise.resolve(),
    }
    flights.set(webhook_id, flight)
    inFlight.set(flights.size)
    const hold = {
      lease: flight.lease,
      lost: lost.signal,
      stopped,
      renewed: (askedAt: number) => void (flight.heldUntil = askedAt + leaseMs),
      taken: (durationMs: number) => {
        flight.waitsSince = performance.now()
        flight.hampered = durationMs > slowMs
        if (flight.hampered) slow.add(webhook_id)
        else slow.delete(webhook_id)
      },
    }
    flight.done = deliverToEndpoint(parts, endpoint, hold)
      .then(async (left) => {
        if (!left) return
        await db.rows(releaseWebhookSql, { client_id, webhook_id, lease: flight.lease })
        flight.moreSeen = true
      })
      .catch(report) // The lease runs out, and the patrol finds it.
      .then(() => {
        flights.delete(webhook_id)
        inFlight.set(flights.size)
        if (flight.moreSeen) want(webhook_id, { client_id, again: false })
        if (wanted.size > 0) void claim().catch(report)
      })
  }

  async function renew(): Promise<void> {
    const [webhook_ids, now] = [[...flights.keys()], performance.now()]
    if (webhook_ids.length === 0) return
    const leases = [...new Set([...flights.values()].map(({ lease }) => lease))]
    for (const { webhook_id } of await db.rows(renewLeasesSql, { webhook_ids, leases, lease_ms: leaseMs })) {
      const flight = flights.get(webhook_id)
      if (flight !== undefined && leases.includes(flight.lease))
        flight.heldUntil = Math.max(flight.heldUntil, now + leaseMs)
    }
  }

  /** Gives up what could not be kept, shortly before somebody else may take it. Without the database nothing else would tell. */
  const watch = setInterval(() => {
    const soon = performance.now() + leaseMs / 8
    for (const flight of flights.values()) if (flight.heldUntil < soon) flight.lost.abort()
  }, leaseMs / 8)

  let patrolledTo = 0
  let lacking = 0
  async function patrol(): Promise<void> {
    const rows = await db.rows(patrolWebhooksSql, { after_id: patrolledTo, page_size: patrolPage })
    for (const row of rows) {
      if (row.active) lacking += row.lacking
      if (row.due) want(row.webhook_id, { client_id: row.client_id, again: false })
    }
    patrolledTo = rows.length < patrolPage ? 0 : (rows.at(-1)?.webhook_id ?? 0)
    if (patrolledTo === 0) {
      lackingEvents.set(lacking)
      lacking = 0
    }
    await claim()
  }

  const tests = new Set<Promise<void>>()
  async function sendTests(): Promise<void> {
    const room = Math.min(testsALookMax, testsAtOnceMax - tests.size)
    if (room === 0) return
    for (const test of await sendTestEvents(parts, room)) {
      const done = test.catch(report).finally(() => tests.delete(done))
      tests.add(done)
    }
  }

  let troubled = false
  /** The database may be away for a while: once is enough to say. */
  function report(error: unknown): void {
    if (!troubled) logger.error({ err: error }, 'webhooks cannot be delivered; trying again')
    troubled = true
  }

  async function repeat(work: () => Promise<void>, everyMs: number, end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      try {
        await work()
        troubled = false
      } catch (error) {
        report(error)
        await sleep(1_000, undefined, { signal: end }).catch(() => undefined)
      }
      await sleep(everyMs, undefined, { signal: end }).catch(() => undefined)
    }
  }

  const underWay = (): Promise<void>[] => [
    ...(claiming === undefined ? [] : [claiming]),
    ...tests,
    ...[...flights.values()].map(({ done }) => done),
  ]

  const finding = [
    repeat(look, lookEveryMs, stopped),
    repeat(patrol, patrolEveryMs, stopped),
    repeat(sendTests, testsEveryMs, stopped),
  ]
  const ended = new AbortController()
  const renewing = repeat(renew, leaseMs / 4, ended.signal)
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(finding)
      // What is under way may last as long as an endpoint may take to answer, and is held until then.
      for (let left = underWay(); left.length > 0; left = underWay()) await Promise.allSettled(left)
      ended.abort()
      await renewing
      clearInterval(watch)
    },
  }
}
