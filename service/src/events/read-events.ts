/** A client's own events, in the order of their numbers. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { clientDataOf, eventColumns, type EventRow } from './event-data.ts'
import { clientEventTypes } from './event-types.ts'
import type { WaitingReaders, WaitRequest } from './waiting-readers.ts'
import type { Actor } from '../access/actor.ts'
import { pageSizeDefault } from '../paging.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const Event = Type.Object(
  {
    event_number: Type.Integer({ description: "Counts the client's events without gaps." }),
    event_type: Type.String({
      description: 'What happened. There will be more types: pass over those you do not know.',
    }),
    event_datetime: Type.String({ description: 'When, `YYYY-MM-DD HH:MM:SS`.', examples: ['2026-11-15 09:30:00'] }),
    order_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The order it happened to, if to one.' }),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'The Order of `order.…`, the Adjustment of `adjustment.…`, as reading it showed it at that moment; of the others what their type says.',
      },
    ),
  },
  {
    $id: 'Event',
    additionalProperties: false,
    examples: Object.entries(clientEventTypes).map(([event_type, { example }], i) => ({
      event_number: i + 1,
      event_type,
      event_datetime: '2026-11-15 10:00:00',
      order_id: 'order_id' in example ? example['order_id'] : (example['adjustment_order_id'] ?? null),
      data: example,
    })),
  },
)
export type Event = Static<typeof Event>

const readEventsSql = statement(new URL('read-events.sql', import.meta.url), {
  parameters: { client_id: int8, after: int8, limit: int8 },
  columns: { last_event_number: int8, first_event_number: int8, ...eventColumns, event_number: nullable(int8) },
})

interface EventsRequest {
  readonly after?: number | undefined
  readonly limit?: number | undefined
  /** In seconds. */
  readonly wait?: number | undefined
  readonly whenLeft: WaitRequest['whenLeft']
}

/** The next events after the number. With `wait`, an empty answer comes only after so many seconds without one. */
export async function readEvents(
  { db, readers, stateLabels }: { db: Database; readers: WaitingReaders; stateLabels: StateLabels },
  { client_id }: Actor,
  { after, limit = pageSizeDefault, wait = 0, whenLeft }: EventsRequest,
): Promise<Event[]> {
  const read = async (): Promise<{ events: Event[]; last_event_number: number }> => {
    const rows = await db.rows(readEventsSql, { client_id, after: after ?? 0, limit })
    const [log] = rows
    assert(log) // Clients are never deleted.
    refuseOutside(log, after)
    const events = rows.flatMap(({ event_number, ...row }) =>
      event_number === null ? [] : [eventOf({ event_number, ...row }, stateLabels)],
    )
    return { events, last_event_number: log.last_event_number }
  }
  const { events, last_event_number } = await read()
  if (events.length > 0 || wait === 0) return events
  const found = await readers.until({ client_id, after: last_event_number, waitMs: wait * 1000, whenLeft })
  return found ? (await read()).events : events
}

/** As the client reads it. */
export const eventOf = (row: EventRow, labels: StateLabels): Event => ({
  event_number: row.event_number,
  event_type: row.event_type,
  event_datetime: row.event_datetime,
  order_id: row.order_id,
  data: clientDataOf(row, labels),
})

/** A number before the first event that is still there, or after the last: going on from it would miss something. */
function refuseOutside(
  { first_event_number, last_event_number }: { first_event_number: number; last_event_number: number },
  after: number | undefined,
): void {
  if (after === undefined) return
  if (after + 1 < first_event_number) throw new Refusal('events_expired', { after, first_event_number })
  if (after > last_event_number) throw new Refusal('event_number_ahead', { after, last_event_number })
}
