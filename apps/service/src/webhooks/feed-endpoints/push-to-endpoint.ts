/** Pushes pages of the feed to one leased endpoint, one after another, until it has caught up or fails. */
import { hash, randomUUID } from 'node:crypto'
import { eventsPerMessageMax, messageType, type LeasedFeedEndpoint } from './feed-endpoint.ts'
import { feedMessages } from './feed-metrics.ts'
import { delayAfter } from '../delivery/backoff.ts'
import type { DeliveryOptions } from '../delivery/deliver-to-endpoint.ts'
import type { EndpointConnection, PostResult } from '../delivery/endpoint-connection.ts'
import type { KeptConnections } from '../delivery/keep-connections.ts'
import { pausedEndpoints } from '../due/delivery-metrics.ts'
import type { Lease } from '../due/leases.ts'
import { webhookMessage } from '../due/read-pending-events.ts'
import { distributor } from '../secrets/secret-box.ts'
import { openSecrets, signatureHeaders } from '../signature.ts'
import { testEventType } from '../webhook.ts'
import { feedCursorOf, positionIn, readFeed, type FeedPosition, type FeedRead } from '../../events/feed/read-feed.ts'
import { DatabaseTrouble } from 'pg-statements/database.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, text } from 'pg-statements/types.ts'

const attemptParameters = {
  endpoint_id: int8,
  message_id: text,
  event_count: int4,
  attempt: int4,
  status: nullable(int4),
  error: nullable(text),
  duration_ms: int4,
}
const recordFeedDeliverySql = statement(new URL('record-feed-delivery.sql', import.meta.url), {
  parameters: {
    ...attemptParameters,
    lease: text,
    lease_ms: int4,
    more: bool,
    generation: int4,
    after_transaction: text,
    after_client: int8,
    after_number: int8,
  },
  columns: { endpoint_id: int8 },
})
const recordFeedFailureSql = statement(new URL('record-feed-failure.sql', import.meta.url), {
  parameters: {
    ...attemptParameters,
    lease: text,
    failure: text,
    delay_ms: int4,
    gone: bool,
    actor: text,
    request_id: text,
  },
  columns: { paused_reason: nullable(text) },
})
const recordFeedTestSql = shortStatement('record-feed-test', {
  sql: `insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, status, error, duration_ms)
    select f.endpoint_id, :message_id, :event_count, :attempt, :status, :error, :duration_ms
    from feed_endpoints f
    where f.endpoint_id = :endpoint_id`,
  parameters: attemptParameters,
  columns: {},
})

interface Turn {
  readonly lease: Lease
  /** Aborted when the process stops. */
  readonly stopped: AbortSignal
  readonly release: () => Promise<void>
}

interface Pushing extends DeliveryOptions {
  readonly connections: KeptConnections
}

export async function pushToEndpoint(options: Pushing, endpoint: LeasedFeedEndpoint, turn: Turn): Promise<void> {
  const kept = { webhook_id: endpoint.endpoint_id, url: endpoint.url }
  const connection = options.connections.take(kept)
  try {
    if (endpoint.is_tested) await sendTest(options, endpoint, { connection, turn })
    let position: FeedPosition | undefined = endpoint
    let { attempts } = endpoint
    while (endpoint.is_due && position !== undefined && !turn.lease.lost.aborted && !turn.stopped.aborted) {
      position = await pushPage(options, { endpoint, connection, turn, position, attempts })
      attempts = 0
    }
    if (!endpoint.is_due || turn.stopped.aborted) await turn.release()
  } finally {
    options.connections.giveBack(kept, connection)
  }
}

interface Pushed {
  readonly endpoint: LeasedFeedEndpoint
  readonly connection: EndpointConnection
  readonly turn: Turn
  readonly position: FeedPosition
  /** Consecutive failures before this attempt. */
  readonly attempts: number
}

/** Returns the position of the next page; undefined if the turn is over and the endpoint not leased any more. */
async function pushPage(options: Pushing, pushed: Pushed): Promise<FeedPosition | undefined> {
  const { db, stateLabels } = options
  const { endpoint, connection, turn, position, attempts } = pushed
  const page = { after: position, limit: eventsPerMessageMax }
  const read = await readFeed(db, stateLabels, page).catch((error: unknown) => failInternally(options, pushed, error))
  if (read.expired) {
    const { after } = await readFeed(db, stateLabels, { after: null, limit: 1 })
    return recordDelivery(options, pushed, { ...noAttempt, error: 'expired' }, { next: after, more: true })
  }
  const { next, isCut: more } = read
  const message = messageOf(endpoint, read)
  if (message === undefined) return recordDelivery(options, pushed, noAttempt, { next, more })
  const result = await post(options, connection, { endpoint, ...message, lost: turn.lease.lost })
  if (turn.lease.lost.aborted) return undefined
  const { status, error, durationMs: duration_ms } = result
  const { message_id, event_count } = message
  const attempt = { message_id, event_count, attempt: attempts + 1, status, error, duration_ms }
  if (status === null || status < 200 || status > 299) {
    await recordFailure(options, pushed, attempt, result)
    return undefined
  }
  feedMessages.inc({ outcome: 'delivered' })
  return recordDelivery(options, pushed, attempt, { next, more })
}

const noAttempt = { message_id: '', event_count: 0, attempt: 0, status: null, error: null, duration_ms: 0 }

interface Message {
  readonly message_id: string
  readonly event_count: number
  readonly body: string
}

/** Undefined if the endpoint wants none of the events. The same events have the same id, in every attempt. */
function messageOf({ endpoint_id, event_types }: LeasedFeedEndpoint, read: FeedRead): Message | undefined {
  const wanted = [...event_types, 'service.restored'] // Every endpoint must know.
  const events = read.events.filter(({ event_type }) => event_types.length === 0 || wanted.includes(event_type))
  if (events.length === 0) return undefined
  const data = { events, next_cursor: feedCursorOf(read.next) }
  const body = webhookMessage(messageType, read.times.at(-1) ?? 0, data)
  return { message_id: `feed_${endpoint_id}_${hash('sha256', body).slice(0, 20)}`, event_count: events.length, body }
}

interface Posted extends Pick<Message, 'message_id' | 'body'> {
  readonly endpoint: LeasedFeedEndpoint
  readonly lost: AbortSignal
}

function post(
  { box }: Pushing,
  connection: EndpointConnection,
  { endpoint: { secret, previous_secret }, message_id: id, body, lost }: Posted,
): Promise<PostResult> {
  const secrets = openSecrets(box, { client_id: distributor, secret, previous_secret })
  const headers = signatureHeaders(secrets, { id, timestamp: Math.floor(Date.now() / 1000), body })
  return connection.post({ headers, body }, lost)
}

interface Attempt {
  readonly message_id: string
  readonly event_count: number
  readonly attempt: number
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}

/** Returns the next position if the endpoint is still leased and `more` is to be read. */
async function recordDelivery(
  { db, leaseMs: lease_ms }: Pushing,
  { endpoint: { endpoint_id }, turn: { lease } }: Pushed,
  attempt: Attempt,
  { next, more }: { next: FeedPosition; more: boolean },
): Promise<FeedPosition | undefined> {
  const sentAt = performance.now()
  const values = { endpoint_id, lease: lease.name, lease_ms, more, ...attempt, ...positionIn(next) }
  const moved = await db.row(recordFeedDeliverySql, values)
  if (moved === undefined || !more) return undefined
  lease.extend(sentAt)
  return next
}

async function recordFailure(
  { db }: Pushing,
  { endpoint: { endpoint_id }, turn: { lease } }: Pushed,
  attempt: Attempt,
  { status, error, retryAfter }: Pick<PostResult, 'status' | 'error' | 'retryAfter'>,
): Promise<void> {
  feedMessages.inc({ outcome: status === null ? 'unanswered' : 'refused' })
  const recorded = await db.row(recordFeedFailureSql, {
    endpoint_id,
    lease: lease.name,
    ...attempt,
    failure: error ?? String(status),
    delay_ms: delayAfter(attempt.attempt, retryAfter),
    gone: status === 410,
    actor: 'worker',
    request_id: attempt.message_id,
  })
  if (recorded !== undefined && recorded.paused_reason !== null) pausedEndpoints.inc()
}

/** The fault is ours. The delivery log shows it, and it is retried like any other failure. */
async function failInternally(options: Pushing, pushed: Pushed, error: unknown): Promise<never> {
  const result = { status: null, error: 'internal', retryAfter: undefined }
  const attempt = { ...noAttempt, attempt: pushed.attempts + 1, error: 'internal' }
  // DatabaseTrouble means that the database is unavailable or busy, not that something is wrong with the events.
  if (!(error instanceof DatabaseTrouble)) await recordFailure(options, pushed, attempt, result)
  throw error
}

async function sendTest(
  options: Pushing,
  endpoint: LeasedFeedEndpoint,
  { connection, turn }: Pick<Pushed, 'connection' | 'turn'>,
): Promise<void> {
  const { endpoint_id } = endpoint
  const body = webhookMessage(testEventType, Date.now(), { endpoint_id })
  const message_id = `test_${endpoint_id}_${randomUUID()}`
  const { lost } = turn.lease
  const {
    status,
    error,
    durationMs: duration_ms,
  } = await post(options, connection, { endpoint, message_id, body, lost })
  const values = { endpoint_id, message_id, event_count: 0, attempt: 1, status, error, duration_ms }
  await options.db.rows(recordFeedTestSql, values)
}
