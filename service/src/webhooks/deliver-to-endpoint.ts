/** Delivers to one endpoint that is held: one event after another, until nothing is left, one fails, or the endpoint is lost. */
import { delayAfter } from './backoff.ts'
import { deliveries, lagSeconds, pausedEndpoints } from './delivery-metrics.ts'
import { eventsToSend, type EventToSend } from './read-pending-events.ts'
import { openLine, type Line, type LineParts, type Outcome } from './endpoint-connection.ts'
import { signatureHeaders } from './signature.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const common = {
  client_id: int8,
  webhook_id: int8,
  lease: text,
  event_number: int8,
  event_type: text,
  attempt: int4,
  status: nullable(int4),
  error: nullable(text),
  duration_ms: int4,
}
const recordDeliverySql = statement(new URL('record-delivery.sql', import.meta.url), {
  parameters: { ...common, lease_ms: int4 },
  columns: { held: bool, event_number: int8 },
})
const recordFailureSql = statement(new URL('record-failure.sql', import.meta.url), {
  parameters: {
    ...common,
    failure: text,
    delay_ms: int4,
    gone: bool,
    actor: text,
    request_id: text,
  },
  columns: { paused_reason: nullable(text) },
})

export interface HeldEndpoint {
  readonly client_id: number
  readonly webhook_id: number
  readonly url: string
  readonly event_types: string[]
  readonly secret: string
  readonly previous_secret: string | null
  readonly delivered_event_number: number
  /** The newest event of the client. */
  readonly event_number: number
  readonly attempts: number
}

export interface Delivering extends LineParts {
  readonly db: Database
  readonly stateLabels: StateLabels
  readonly leaseMs: number
}

/** The lease of an endpoint, as the process knows it. */
export interface Hold {
  readonly lease: string
  /** Aborted when the endpoint is not held any more: somebody else may be delivering to it. */
  readonly lost: AbortSignal
  /** Aborted when the process is to end: nothing more is begun. */
  readonly stopped: AbortSignal
  /** The endpoint was held anew when this was asked for. */
  readonly renewed: (askedAt: number) => void
  /** An event was taken, after so long. */
  readonly taken: (durationMs: number) => void
}

const stepsAHoldMax = 100 // Events that were taken, or rounds that found none. Then others have their turn.
const holdMsMax = 2_000 // However slowly the endpoint takes them.

/** Whether the endpoint is left while it is still held, and may have more to be sent. */
export async function deliverToEndpoint(parts: Delivering, endpoint: HeldEndpoint, hold: Hold): Promise<boolean> {
  const line = openLine(endpoint.url, parts)
  const until = performance.now() + holdMsMax
  let { attempts, delivered_event_number: position, event_number: newest } = endpoint
  let steps = 0
  const turnIsOver = (): boolean =>
    hold.stopped.aborted || (steps > 0 && (steps >= stepsAHoldMax || performance.now() > until))
  try {
    while (newest > position) {
      if (hold.lost.aborted) return false
      if (turnIsOver()) return true
      const { events, lookedTo, expiredTo } = await eventsToSend(parts, endpoint, position).catch((error: unknown) =>
        failInside(parts, { endpoint, hold, event: { event_number: position + 1, event_type: '' }, attempts }, error),
      )
      for (const event of events) {
        if (hold.lost.aborted) return false
        if (turnIsOver()) return true
        const moved = await deliver(parts, { line, endpoint, hold, event, attempts })
        if (moved === undefined) return false
        attempts = 0
        position = event.event_number
        newest = moved
        steps++
      }
      if (lookedTo === position) continue
      const error = expiredTo === lookedTo ? 'expired' : null
      const moved = await pass(parts, { endpoint, hold, event_number: lookedTo, error })
      if (moved === undefined) return false
      position = lookedTo
      newest = moved
      steps++
    }
    return true
  } finally {
    line.close()
  }
}

interface Sending {
  readonly line: Line
  readonly endpoint: HeldEndpoint
  readonly hold: Hold
  readonly event: EventToSend
  readonly attempts: number
}

/** The number of the client's newest event, if there is more to deliver and the endpoint is still ours. */
async function deliver(
  parts: Delivering,
  { line, endpoint, hold, event, attempts }: Sending,
): Promise<number | undefined> {
  const { webhook_id, secret, previous_secret } = endpoint
  const { event_number, event_type, occurred_at } = event
  const body = await event
    .body()
    .catch((error: unknown) => failInside(parts, { endpoint, hold, event, attempts }, error))
  const headers = signatureHeaders([secret, ...(previous_secret === null ? [] : [previous_secret])], {
    id: `evt_${webhook_id}_${event_number}`, // The same at each attempt, so that the receiver knows a repetition.
    timestamp: Math.floor(Date.now() / 1000),
    body,
  })
  const outcome = await line.post({ headers, body }, hold.lost)
  if (hold.lost.aborted) return undefined
  const attempt = { event_number, event_type, attempt: attempts + 1, status: outcome.status }
  if (outcome.status === null || outcome.status < 200 || outcome.status > 299) {
    await fail(parts, { endpoint, hold, attempt, outcome })
    return undefined
  }
  lagSeconds.observe(Math.max(0, Date.now() - occurred_at) / 1000)
  deliveries.inc({ outcome: 'delivered' })
  hold.taken(outcome.durationMs)
  return move(parts, { endpoint, hold, attempt: { ...attempt, error: null, duration_ms: outcome.durationMs } })
}

/** Goes past events that the endpoint does not ask for; or past some that are kept no longer, which is an error and stands in the log. */
const pass = (
  parts: Delivering,
  passed: { endpoint: HeldEndpoint; hold: Hold; event_number: number; error: string | null },
): Promise<number | undefined> => {
  const { endpoint, hold, event_number, error } = passed
  const attempt = { event_number, event_type: '', attempt: 0, status: null, error, duration_ms: 0 }
  return move(parts, { endpoint, hold, attempt })
}

interface Attempt {
  readonly event_number: number
  readonly event_type: string
  readonly attempt: number
  readonly status: number | null
}

interface Ended {
  readonly error: string | null
  readonly duration_ms: number
}

async function move(
  { db, leaseMs }: Delivering,
  { endpoint, hold, attempt }: { endpoint: HeldEndpoint; hold: Hold; attempt: Attempt & Ended },
): Promise<number | undefined> {
  const { client_id, webhook_id } = endpoint
  const askedAt = performance.now()
  const moved = await db.row(recordDeliverySql, {
    client_id,
    webhook_id,
    lease: hold.lease,
    lease_ms: leaseMs,
    ...attempt,
  })
  if (moved?.held !== true) return undefined
  hold.renewed(askedAt)
  return moved.event_number
}

async function fail(
  { db }: Delivering,
  { endpoint, hold, attempt, outcome }: { endpoint: HeldEndpoint; hold: Hold; attempt: Attempt; outcome: Outcome },
): Promise<void> {
  const { client_id, webhook_id } = endpoint
  const { status, error, durationMs: duration_ms, retryAfter } = outcome
  deliveries.inc({ outcome: status === null ? 'unanswered' : 'refused' })
  const failed = await db.row(recordFailureSql, {
    client_id,
    webhook_id,
    lease: hold.lease,
    ...attempt,
    error,
    failure: error ?? String(status),
    duration_ms,
    delay_ms: delayAfter(attempt.attempt, retryAfter),
    gone: status === 410,
    actor: 'worker',
    request_id: `webhook-${webhook_id}-${attempt.event_number}`,
  })
  if (failed !== undefined && failed.paused_reason !== null) pausedEndpoints.inc()
}

/** The fault is ours: the owner sees that something holds the endpoint up, and it is tried again like any other failure. */
async function failInside(
  parts: Delivering,
  { endpoint, hold, event, attempts }: Omit<Sending, 'line' | 'event'> & { event: Omit<Attempt, 'attempt' | 'status'> },
  error: unknown,
): Promise<never> {
  const { event_number, event_type } = event
  const attempt = { event_number, event_type, attempt: attempts + 1, status: null }
  const outcome = { status: null, error: 'internal', retryAfter: undefined, durationMs: 0 }
  // Where the database is away or busy, nothing is wrong with the event.
  if (!(error instanceof Refusal)) await fail(parts, { endpoint, hold, attempt, outcome })
  throw error
}
