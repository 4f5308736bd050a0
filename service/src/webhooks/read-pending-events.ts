/** The events that an endpoint is sent next, and the form of a message. */
import assert from 'node:assert/strict'
import { eventColumns, hasEvent, type EventRow } from '../events/event-data.ts'
import { eventOf } from '../events/event.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { instant, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const readPendingEventsSql = statement(new URL('read-pending-events.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    after_number: int8,
    event_types: textArray,
    window: int8,
    page_size: int8,
    bytes_max: int8,
  },
  columns: {
    last_event_number: int8,
    first_event_number: int8,
    occurred_at: instant,
    request_id: text,
    ...eventColumns,
    event_number: nullable(int8),
  },
})

const eventsPerReadMax = 20 // Sent within seconds; what is read too early is read again.
const bytesPerReadMax = 200 * 1024 // 200 endpoints stay below 50 MB; only an order of its own may be larger.
const windowMax = 1_000 // Events read to find those that the endpoint subscribes to; takes a few milliseconds.

export interface PendingEvent {
  readonly event_number: number
  readonly event_type: string
  readonly occurred_at: number
  /** Of the request that caused the event. */
  readonly request_id: string
  readonly body: () => Promise<string>
}

export interface PendingEvents {
  /** Ordered by number. */
  readonly events: PendingEvent[]
  /** Up to this number there is nothing else to send. */
  readonly readTo: number
  /** Events up to this number have expired. */
  readonly expiredTo: number
}

export async function readPendingEvents(
  { db, stateLabels }: { db: Database; stateLabels: StateLabels },
  { client_id, event_types }: { client_id: number; event_types: string[] },
  after_number: number,
): Promise<PendingEvents> {
  const rows = await db.rows(readPendingEventsSql, {
    client_id,
    after_number,
    event_types,
    window: windowMax,
    page_size: eventsPerReadMax,
    bytes_max: bytesPerReadMax,
  })
  const [log] = rows
  assert(log) // Clients are never deleted.
  const expiredTo = log.first_event_number - 1
  if (expiredTo > after_number) return { events: [], readTo: expiredTo, expiredTo }
  const events = rows.filter(hasEvent).map((row) => pendingEvent(row, stateLabels))
  const isCut = events.length === eventsPerReadMax || rows.some(({ fits }) => fits === false)
  const last = isCut ? events.at(-1)?.event_number : undefined
  return { events, readTo: last ?? Math.min(after_number + windowMax, log.last_event_number), expiredTo }
}

/** The body is built when it is sent: an event that cannot be shown does not delay the events before it. */
const pendingEvent = (
  row: EventRow & { occurred_at: number; request_id: string },
  stateLabels: StateLabels,
): PendingEvent => ({
  event_number: row.event_number,
  event_type: row.event_type,
  occurred_at: row.occurred_at,
  request_id: row.request_id,
  body: async () => webhookMessage(row.event_type, row.occurred_at, eventOf(row, stateLabels)),
})

/** The form that the Standard Webhooks specification recommends. `data` is the event as in `GET /api/v1/events/`. */
export const webhookMessage = (type: string, at: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
