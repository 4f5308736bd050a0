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
import { sendTestEvents } from './test-events.ts'
import { statement } from '../postgres/statement.ts'
import { bool, int4, int8, int8Array, nullable, text, textArray } from '../postgres/types.ts'

const findDueWebhooksSql = statement(new URL('find-due-webhooks.sql', import.meta.url), {
  parameters: { seen: text, events_max: int8, retries_max: int8 },
  columns: { seen: text, webhook_id: nullable(int8), event_number: nullable(int8) },
})
const patrolWebhooksSql = statement(new URL('patrol-webhooks.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { webhook_id: int8, lacking: int8, active: bool, due: bool },
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

const lookEveryMs = 50
const patrolEveryMs = 500
const patrolPage = 1_000 // Ten thousand endpoints are seen every 5 seconds; a page takes some milliseconds.
const testsEveryMs = 500
const eventsALookMax = 2_000 // Of 50 milliseconds: more than PostgreSQL writes.
const retriesALookMax = 200
const endpointsAtOnceMax = 400 // Sockets and a few kilobytes each; a hanging endpoint takes one place for 15 seconds.
const retriesAtOnceMax = 100 // So that endpoints that fail, however many, leave room for those that do not.
const claimsAtOnceMax = 100

export interface WebhookDelivery {
  /** Lets the requests under way finish, and lets go of their endpoints. */
  readonly stop: () => Promise<void>
}

interface InFlight {
  readonly again: boolean
  readonly lease: string
  readonly lost: AbortController
  heldUntil: number
  /** A newer event was seen for it while it was in flight. */
  moreSeen: boolean
  done: Promise<void>
}

export function startWebhookDelivery(parts: Delivering & { readonly logger: Logger }): WebhookDelivery {
  const { db, leaseMs, logger } = parts
  const stopping = new AbortController()
  const stopped = stopping.signal
  /** Known to have something due, oldest first; true for those that have failed before. */
  const wanted = new Map<number, boolean>()
  const flights = new Map<number, InFlight>()
  /** The newest event that each endpoint was wanted for. A long transaction lets the same ones be seen at each look. */
  const seenNumbers = new Map<number, number>()
  let seen = '0'

  async function look(): Promise<void> {
    const rows = await db.rows(findDueWebhooksSql, { seen, events_max: eventsALookMax, retries_max: retriesALookMax })
    for (const { webhook_id, event_number } of rows) {
      if (webhook_id === null) continue
      if (event_number === null) want(webhook_id, true)
      else if ((seenNumbers.get(webhook_id) ?? 0) < event_number) {
        seenNumbers.set(webhook_id, event_number)
        want(webhook_id, false)
      }
    }
    seen = rows[0]?.seen ?? seen
    await claim()
  }

  function want(webhook_id: number, again: boolean): void {
    const flight = flights.get(webhook_id)
    if (flight !== undefined) flight.moreSeen ||= !again
    else if (!wanted.has(webhook_id)) wanted.set(webhook_id, again)
  }

  let claiming = false
  async function claim(): Promise<void> {
    if (claiming) return
    claiming = true
    try {
      for (let ids = next(); ids.length > 0 && !stopped.aborted; ids = next()) await take(ids)
    } finally {
      claiming = false
      waiting.set(wanted.size)
    }
  }

  /** The next ones that there is room for. */
  function next(): number[] {
    let room = endpointsAtOnceMax - flights.size
    let retries = retriesAtOnceMax - [...flights.values()].filter(({ again }) => again).length
    const ids: number[] = []
    for (const [webhook_id, again] of wanted) {
      if (room === 0 || ids.length === claimsAtOnceMax) break
      if (again && retries === 0) continue
      ids.push(webhook_id)
      room--
      if (again) retries--
    }
    return ids
  }

  /** What is wanted while the claim is under way is wanted anew: the claim may not see it. */
  async function take(webhook_ids: number[]): Promise<void> {
    const before = webhook_ids.map((id) => [id, wanted.get(id) === true] as const)
    for (const id of webhook_ids) wanted.delete(id)
    const [lease, heldUntil] = [randomUUID(), performance.now() + leaseMs]
    try {
      const held = await db.rows(claimWebhooksSql, { webhook_ids, lease, lease_ms: leaseMs })
      const again = new Map(before)
      for (const endpoint of held)
        launch(endpoint, { again: again.get(endpoint.webhook_id) === true, lease, heldUntil })
    } catch (error) {
      for (const [id, again] of before) want(id, again)
      throw error
    }
  }

  function launch(endpoint: HeldEndpoint, claimed: Pick<InFlight, 'again' | 'lease' | 'heldUntil'>): void {
    const { webhook_id } = endpoint
    const lost = new AbortController()
    const moreSeen = wanted.delete(webhook_id)
    const flight: InFlight = { ...claimed, lost, moreSeen, done: Promise.resolve() }
    flights.set(webhook_id, flight)
    inFlight.set(flights.size)
    const hold = {
      lease: flight.lease,
      lost: lost.signal,
      stopped,
      renewed: (askedAt: number) => void (flight.heldUntil = askedAt + leaseMs),
    }
    flight.done = deliverToEndpoint(parts, endpoint, hold)
      .then(async (left) => {
        if (!left) return
        await db.rows(renewLeasesSql, { webhook_ids: [webhook_id], leases: [flight.lease], lease_ms: 0 })
        flight.moreSeen = true
      })
      .catch(report) // The lease runs out, and the patrol finds it.
      .then(() => {
        flights.delete(webhook_id)
        inFlight.set(flights.size)
        if (flight.moreSeen) want(webhook_id, false)
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
      if (row.due) want(row.webhook_id, false)
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
    for (const test of await sendTestEvents(parts, stopped)) {
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

  async function repeat(work: () => Promise<void>, everyMs: number): Promise<void> {
    while (!stopped.aborted) {
      try {
        await work()
        troubled = false
      } catch (error) {
        report(error)
        await sleep(1_000, undefined, { signal: stopped }).catch(() => undefined)
      }
      await sleep(everyMs, undefined, { signal: stopped }).catch(() => undefined)
    }
  }

  const loops = [
    repeat(look, lookEveryMs),
    repeat(patrol, patrolEveryMs),
    repeat(renew, leaseMs / 4),
    repeat(sendTests, testsEveryMs),
  ]
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all([...loops, ...tests, ...[...flights.values()].map(({ done }) => done)])
      clearInterval(watch)
    },
  }
}
