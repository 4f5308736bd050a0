/** The events that an endpoint is sent next, and the form of a message. */
import assert from 'node:assert/strict'
import { inBatches } from './in-batches.ts'
import { eventColumns, eventOrderColumns, hasEvent, type EventRow } from '../../events/event-data.ts'
import { eventOf } from '../../events/event.ts'
import type { StateLabels } from '../../orders/order.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { instant, int8, int8Array, nullable, text, textArray } from 'pg-statements/types.ts'

const readPendingEventsSql = statement(new URL('read-pending-events.sql', import.meta.url), {
  parameters: {
    client_ids: int8Array,
    after_numbers: int8Array,
    event_types: textArray,
    window: int8,
    page_size: int8,
    bytes_max: int8,
  },
  columns: {
    place: int8,
    last_event_number: int8,
    first_event_number: int8,
    occurred_at: instant,
    request_id: text,
    ...eventColumns,
    event_number: nullable(int8),
  },
  listed: eventOrderColumns,
})

type PendingRow = Values<(typeof readPendingEventsSql)['columns']>

const endpointsPerReadMax = 50 // With as many bytes as each may have, 10 MB.
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

export interface Position {
  readonly client_id: number
  readonly event_types: readonly string[]
  readonly after_number: number
}

export interface PendingEventsReader {
  readonly read: (position: Position) => Promise<PendingEvents>
}

/** Reads for several endpoints with one statement when there is much to do. */
export function makePendingEventsReader(options: { db: Database; stateLabels: StateLabels }): PendingEventsReader {
  async function readEach(positions: readonly Position[]): Promise<readonly Promise<PendingEvents>[]> {
    try {
      return (await readPendingEvents(options, positions)).map((pending) => Promise.resolve(pending))
    } catch (error) {
      // An event that cannot be read must not stop the endpoints of others.
      if (positions.length === 1 || error instanceof DatabaseTrouble) throw error
      return positions.map(async (position) => firstOf(await readPendingEvents(options, [position])))
    }
  }
  const batches = inBatches(
    async (positions: readonly Position[]) => (await readEach(positions)).map((pending) => ({ pending })),
    endpointsPerReadMax,
  )
  return { read: async (position) => (await batches.do(position)).pending }
}

const firstOf = ([first]: readonly PendingEvents[]): PendingEvents => {
  assert(first)
  return first
}

export async function readPendingEvents(
  { db, stateLabels }: { db: Database; stateLabels: StateLabels },
  positions: readonly Position[],
): Promise<PendingEvents[]> {
  const rows = await db.rows(readPendingEventsSql, {
    client_ids: positions.map(({ client_id }) => client_id),
    after_numbers: positions.map(({ after_number }) => after_number),
    event_types: positions.map(({ event_types }) => event_types.join(',')),
    window: windowMax,
    page_size: eventsPerReadMax,
    bytes_max: bytesPerReadMax,
  })
  const ofPlace = Map.groupBy(rows, ({ place }) => place)
  return positions.map(({ after_number }, n) => pendingOf(ofPlace.get(n + 1) ?? [], after_number, stateLabels))
}

function pendingOf(rows: readonly PendingRow[], after_number: number, stateLabels: StateLabels): PendingEvents {
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
