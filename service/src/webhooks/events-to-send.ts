/** What an endpoint is to be sent next, and how it looks on the wire. */
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { datetime, instant, int8, json, nullable, text } from '../postgres/types.ts'

const readPendingEventsSql = statement(new URL('read-pending-events.sql', import.meta.url), {
  parameters: { client_id: int8, after_number: int8, page_size: int8 },
  columns: {
    event_number: int8,
    event_type: text,
    event_datetime: datetime,
    occurred_at: instant,
    order_id: nullable(int8),
    data: json,
  },
})

const eventsAtOnceMax = 20 // Two hundred endpoints with as many orders each in memory stay below 50 MB.

/** Makes of an event's stored data what the client reads. */
export type ShapeData = (event_type: string, stored: Record<string, unknown>) => Record<string, unknown>

export interface EventToSend {
  readonly event_number: number
  readonly event_type: string
  readonly occurred_at: number
  readonly body: string
}

/** The next events after a number, in order. */
export async function eventsToSend(
  db: Database,
  { client_id, after_number, shape }: { client_id: number; after_number: number; shape: ShapeData },
): Promise<EventToSend[]> {
  const rows = await db.rows(readPendingEventsSql, { client_id, after_number, page_size: eventsAtOnceMax })
  return rows.map(({ occurred_at, ...event }) => ({
    event_number: event.event_number,
    event_type: event.event_type,
    occurred_at,
    body: messageOf(event.event_type, occurred_at, { ...event, data: shape(event.event_type, event.data) }),
  }))
}

/** The form that the Standard Webhooks specification recommends; `data` is the event as `GET /api/v1/events/` shows it. */
export const messageOf = (type: string, at: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
