/** Delivers to one leased endpoint, one event after another, until its turn ends. */
import { delayAfter } from './backoff.ts'
import { deliveries, firstAttemptDelay, lagSeconds, pausedEndpoints } from '../due/delivery-metrics.ts'
import type { EndpointConnection, EndpointConnectionOptions, PostResult } from './endpoint-connection.ts'
import type { KeptConnections } from './keep-connections.ts'
import type { LeasedEndpoint } from '../due/lease-webhooks.ts'
import type { Lease } from '../due/leases.ts'
import type { PendingEvent, PendingEventsReader } from '../due/read-pending-events.ts'
import { attemptParameters, type DeliveryRecorder } from './record-deliveries.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { openSecrets, signatureHeaders } from '../signature.ts'
import { formatTraceparent, traceOfRequestId } from '../../telemetry/trace-context.ts'
import type { OpenSpan, Tracer } from '../../telemetry/tracer.ts'
import type { StateLabels } from '../../orders/order.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, nullable, text } from 'pg-statements/types.ts'

const recordFailureSql = statement(new URL('record-failure.sql', import.meta.url), {
  parameters: { ...attemptParameters, failure: text, delay_ms: int4, gone: bool, actor: text, request_id: text },
  columns: { paused_reason: nullable(text) },
})

export interface DeliveryOptions extends EndpointConnectionOptions {
  readonly db: Database
  readonly stateLabels: StateLabels
  readonly leaseMs: number
  readonly box: SecretBox
  /** Without it, traces are passed on but not recorded. */
  readonly tracer?: Tracer
}

/** What the turns of all endpoints share. */
export interface Delivering extends DeliveryOptions {
  readonly connections: KeptConnections
  readonly reader: PendingEventsReader
  readonly recorder: DeliveryRecorder
}

interface Turn {
  readonly lease: Lease
  /** Aborted when the process stops: nothing more is started. */
  readonly stopped: AbortSignal
  /** The endpoint accepted an event. */
  readonly onAccepted: (durationMs: number) => void
  /** When its last turn ended, if events were left then; from `Date.now()`. */
  readonly servedAt?: number | undefined
}

/** Why a turn ended; except after `turn_over`, the endpoint is not leased any more. */
export type TurnEnd =
  | 'turn_over' // Events may be left, but other endpoints have their turn.
  | 'caught_up'
  | 'failed' // The next attempt is scheduled, or the endpoint is paused.
  | 'lease_lost'

/** The result of one step of a turn. */
type Step = 'more_due' | Exclude<TurnEnd, 'turn_over'>

const stepsPerTurnMax = 100 // Events accepted, and reads that found none to send.
const turnMsMax = 2_000 // For an endpoint that accepts events slowly.

export async function deliverToEndpoint(options: Delivering, endpoint: LeasedEndpoint, turn: Turn): Promise<TurnEnd> {
  const { lost } = turn.lease
  const connection = options.connections.take(endpoint)
  const deadline = performance.now() + turnMsMax
  let { attempts, delivered_event_number: position } = endpoint
  let steps = 0
  let freeSince = Math.max(endpoint.due_at ?? 0, turn.servedAt ?? 0)
  const turnIsOver = (): boolean =>
    turn.stopped.aborted || (steps > 0 && (steps >= stepsPerTurnMax || performance.now() > deadline))
  try {
    for (;;) {
      if (lost.aborted) return 'lease_lost'
      if (turnIsOver()) return 'turn_over'
      const { client_id, event_types } = endpoint
      const next = { endpoint, turn, event: { event_number: position + 1, event_type: '' }, attempts }
      const { events, readTo, expiredTo } = await options.reader
        .read({ client_id, event_types, after_number: position })
        .catch((error: unknown) => failInternally(options, next, error))
      for (const event of events) {
        if (lost.aborted) return 'lease_lost'
        if (turnIsOver()) return 'turn_over'
        if (attempts === 0)
          firstAttemptDelay.observe(Math.max(0, Date.now() - Math.max(event.occurred_at, freeSince)) / 1000)
        const step = await deliver(options, { connection, endpoint, turn, event, attempts })
        freeSince = Date.now()
        if (step !== 'more_due') return step
        attempts = 0
        position = event.event_number
        steps++
      }
      if (readTo === position) {
        if (events.length === 0) return 'turn_over' // Nothing is due, although the endpoint was claimed: the next claim decides.
        continue
      }
      const step = await skipTo(options, { endpoint, turn, event_number: readTo, expired: expiredTo === readTo })
      if (step !== 'more_due') return step
      position = readTo
      steps++
    }
  } finally {
    options.connections.giveBack(endpoint, connection)
  }
}

interface Sending {
  readonly connection: EndpointConnection
  readonly endpoint: LeasedEndpoint
  readonly turn: Turn
  readonly event: PendingEvent
  /** Consecutive failures before this attempt. */
  readonly attempts: number
}

async function deliver(options: Delivering, { connection, endpoint, turn, event, attempts }: Sending): Promise<Step> {
  const { event_number, event_type, occurred_at } = event
  const { headers, body } = await signedMessage(options, endpoint, event).catch((error: unknown) =>
    failInternally(options, { endpoint, turn, event, attempts }, error),
  )
  const parent = traceOfRequestId(event.request_id)
  const span = options.tracer === undefined ? parent : options.tracer.begin('client', parent)
  const { lost } = turn.lease
  const traced = span === undefined ? headers : { ...headers, traceparent: formatTraceparent(span) }
  const result = await connection.post({ headers: traced, body }, lost)
  if (lost.aborted) return 'lease_lost'
  const attempt = { event_number, event_type, attempt: attempts + 1 }
  const { status, durationMs } = result
  endSpan(span, { endpoint, attempt, result })
  if (status === null || status < 200 || status > 299) {
    await recordFailure(options, { endpoint, turn, attempt, result })
    return 'failed'
  }
  lagSeconds.observe(Math.max(0, Date.now() - occurred_at) / 1000)
  deliveries.inc({ outcome: 'delivered' })
  turn.onAccepted(durationMs)
  return recordDelivery(options, {
    endpoint,
    turn,
    attempt: { ...attempt, status, error: null, duration_ms: durationMs },
  })
}

function endSpan(
  span: OpenSpan | undefined,
  { endpoint, attempt, result }: { endpoint: LeasedEndpoint; attempt: Attempt; result: PostResult },
): void {
  const { status, error } = result
  span?.end?.({
    name: `deliver ${attempt.event_type}`,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': status ?? undefined,
      'error.type': error ?? undefined,
      'parts.client_id': endpoint.client_id,
      'parts.webhook_id': endpoint.webhook_id,
      'parts.event_number': attempt.event_number,
      'parts.attempt': attempt.attempt,
    },
    failed: status === null || status < 200 || status > 299,
  })
}

async function signedMessage(
  { box }: DeliveryOptions,
  endpoint: LeasedEndpoint,
  event: PendingEvent,
): Promise<{ headers: Record<string, string>; body: string }> {
  const body = await event.body()
  const headers = signatureHeaders(openSecrets(box, endpoint), {
    // The same for every attempt: the receiver recognises a repetition by it.
    id: `evt_${endpoint.webhook_id}_${event.event_number}`,
    timestamp: Math.floor(Date.now() / 1000),
    body,
  })
  return { headers, body }
}

/** Skips events that the endpoint does not subscribe to, or expired events, for which the delivery log has an entry. */
function skipTo(
  options: Delivering,
  skipped: { endpoint: LeasedEndpoint; turn: Turn; event_number: number; expired: boolean },
): Promise<Step> {
  const { endpoint, turn, event_number, expired } = skipped
  const error = expired ? 'expired' : null
  const attempt = { event_number, event_type: '', attempt: 0, status: null, error, duration_ms: 0 }
  return recordDelivery(options, { endpoint, turn, attempt })
}

interface Attempt {
  readonly event_number: number
  readonly event_type: string
  readonly attempt: number
}

interface AttemptResult {
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}

async function recordDelivery(
  { recorder }: Delivering,
  { endpoint, turn, attempt }: { endpoint: LeasedEndpoint; turn: Turn; attempt: Attempt & AttemptResult },
): Promise<Step> {
  const { lease } = turn
  const { client_id, webhook_id } = endpoint
  const sentAt = performance.now()
  const recorded = await recorder.record({ client_id, webhook_id, lease: lease.name, ...attempt })
  if (recorded === undefined) return 'lease_lost'
  if (!recorded.still_leased) return 'caught_up'
  lease.extend(sentAt)
  return 'more_due'
}

async function recordFailure(
  { db }: DeliveryOptions,
  failed: { endpoint: LeasedEndpoint; turn: Turn; attempt: Attempt; result: PostResult },
): Promise<void> {
  const { client_id, webhook_id } = failed.endpoint
  const { event_number, event_type, attempt } = failed.attempt
  const { status, error, durationMs: duration_ms, retryAfter } = failed.result
  deliveries.inc({ outcome: status === null ? 'unanswered' : 'refused' })
  const recorded = await db.row(recordFailureSql, {
    client_id,
    webhook_id,
    lease: failed.turn.lease.name,
    event_number,
    event_type,
    attempt,
    status,
    error,
    duration_ms,
    failure: error ?? String(status),
    delay_ms: delayAfter(attempt, retryAfter),
    gone: status === 410,
    actor: 'worker',
    request_id: `webhook-${webhook_id}-${event_number}`,
  })
  if (recorded !== undefined && recorded.paused_reason !== null) pausedEndpoints.inc()
}

/** The fault is ours. The delivery log shows it to the owner, and it is retried like any other failure. */
async function failInternally(
  options: DeliveryOptions,
  { endpoint, turn, event, attempts }: Omit<Sending, 'connection' | 'event'> & { event: Omit<Attempt, 'attempt'> },
  error: unknown,
): Promise<never> {
  const { event_number, event_type } = event
  const attempt = { event_number, event_type, attempt: attempts + 1 }
  const result = { status: null, error: 'internal', retryAfter: undefined, durationMs: 0 }
  // DatabaseTrouble means that the database is unavailable or busy, not that something is wrong with the event.
  if (!(error instanceof DatabaseTrouble)) await recordFailure(options, { endpoint, turn, attempt, result })
  throw error
}
