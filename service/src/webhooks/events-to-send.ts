/** What an endpoint is to be sent next, and how it looks on the wire. */
import { eventColumns } from '../events/event-data.ts'
import { eventOf } from '../events/read-events.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { instant, int8 } from '../postgres/types.ts'

const readPendingEventsSql = statement(new URL('read-pending-events.sql', import.meta.url), {
  parameters: { client_id: int8, after_number: int8, page_size: int8 },
  columns: { occurred_at: instant, ...eventColumns },
})

const eventsAtOnceMax = 20 // Two hundred endpoints with as many orders each in memory stay below 50 MB.

export interface EventToSend {
  readonly event_number: number
  readonly event_type: string
  readonly occurred_at: number
  readonly body: string
}

/** The next events after a number, in order. */
export async function eventsToSend(
  { db, stateLabels }: { db: Database; stateLabels: StateLabels },
  { client_id, after_number }: { client_id: number; after_number: number },
): Promise<EventToSend[]> {
  const rows = await db.rows(readPendingEventsSql, { client_id, after_number, page_size: eventsAtOnceMax })
  return rows.map((row) => ({
    event_number: row.event_number,
    event_type: row.event_type,
    occurred_at: row.occurred_at,
    body: messageOf(row.event_type, row.occurred_at, eventOf(row, stateLabels)),
  }))
}

/** The form that the Standard Webhooks specification recommends; `data` is the event as `GET /api/v1/events/` shows it. */
export const messageOf = (type: string, at: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
