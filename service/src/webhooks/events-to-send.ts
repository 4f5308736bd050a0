/** What an endpoint is to be sent next, and how it looks on the wire. */
import assert from 'node:assert/strict'
import { eventColumns, type EventRow } from '../events/event-data.ts'
import { eventOf } from '../events/event.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { instant, int8, nullable, textArray } from 'pg-statements/types.ts'

const readPendingEventsSql = statement(new URL('read-pending-events.sql', import.meta.url), {
  parameters: { client_id: int8, after_number: int8, event_types: textArray, window: int8, page_size: int8 },
  columns: {
    last_event_number: int8,
    first_event_number: int8,
    occurred_at: instant,
    ...eventColumns,
    event_number: nullable(int8),
  },
})

const eventsAtOnceMax = 20 // Two hundred endpoints with as many orders each in memory stay below 50 MB.
const windowMax = 1_000 // Events that are looked at for those that the endpoint asks for: some milliseconds.

export interface EventToSend {
  readonly event_number: number
  readonly event_type: string
  readonly occurred_at: number
  readonly body: () => Promise<string>
}

export interface Pending {
  /** In order. */
  readonly events: EventToSend[]
  /** Up to this number nothing else is to be sent. */
  readonly lookedTo: number
  /** Up to this number events are not kept any more. */
  readonly expiredTo: number
}

/** What an endpoint is to be sent after a number. */
export async function eventsToSend(
  { db, stateLabels }: { db: Database; stateLabels: StateLabels },
  { client_id, event_types }: { client_id: number; event_types: string[] },
  after_number: number,
): Promise<Pending> {
  const limits = { window: windowMax, page_size: eventsAtOnceMax }
  const rows = await db.rows(readPendingEventsSql, { client_id, after_number, event_types, ...limits })
  const [log] = rows
  assert(log) // Clients are never deleted.
  const expiredTo = log.first_event_number - 1
  if (expiredTo > after_number) return { events: [], lookedTo: expiredTo, expiredTo }
  const events = rows.flatMap(({ event_number, ...row }) =>
    event_number === null ? [] : [eventToSend({ event_number, ...row }, stateLabels)],
  )
  const last = events.length === eventsAtOnceMax ? events.at(-1)?.event_number : undefined
  return { events, lookedTo: last ?? Math.min(after_number + windowMax, log.last_event_number), expiredTo }
}

/** The body is made when it is sent: what is wrong with one event holds up none before it. */
const eventToSend = (row: EventRow & { occurred_at: number }, stateLabels: StateLabels): EventToSend => ({
  event_number: row.event_number,
  event_type: row.event_type,
  occurred_at: row.occurred_at,
  body: async () => messageOf(row.event_type, row.occurred_at, eventOf(row, stateLabels)),
})

/** The form that the Standard Webhooks specification recommends; `data` is the event as `GET /api/v1/events/` shows it. */
export const messageOf = (type: string, at: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
