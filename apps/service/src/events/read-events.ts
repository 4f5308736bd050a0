import assert from 'node:assert/strict'
import { eventColumns, eventOrderColumns, hasEvent } from './event-data.ts'
import { eventOf, type Event } from './event.ts'
import { observeLag } from './feed-lag.ts'
import type { WaitingReaders, WaitRequest } from './waiting-readers.ts'
import type { Actor } from '../identity/actor.ts'
import { pageSizeDefault } from '../vocabulary/paging.ts'
import type { StateLabels } from '../orders/order.ts'
import { bytesPerPageMax } from '../orders/order-goods.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { instant, int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const readEventsSql = statement(new URL('read-events.sql', import.meta.url), {
  parameters: { client_id: int8, after: int8, limit: int8, bytes_max: int8 },
  columns: {
    last_event_number: int8,
    first_event_number: int8,
    occurred_at: nullable(instant),
    ...eventColumns,
    event_number: nullable(int8),
  },
  listed: eventOrderColumns,
})

interface EventsRequest {
  readonly after?: number | undefined
  readonly limit?: number | undefined
  /** How long to wait for an event if there is none, in seconds. */
  readonly wait?: number | undefined
  readonly whenLeft: WaitRequest['whenLeft']
}

/** The client's next events after the number, in the order of their numbers. */
export async function readEvents(
  { db, readers, stateLabels }: { db: Database; readers: WaitingReaders; stateLabels: StateLabels },
  { client_id }: Actor,
  { after, limit = pageSizeDefault, wait = 0, whenLeft }: EventsRequest,
): Promise<Event[]> {
  const read = async (): Promise<{ events: Event[]; times: number[]; last_event_number: number }> => {
    const rows = await db.rows(readEventsSql, { client_id, after: after ?? 0, limit, bytes_max: bytesPerPageMax })
    const [log] = rows
    assert(log) // Clients are never deleted.
    refuseOutside(log, after)
    const found = rows.filter(hasEvent)
    return {
      events: found.map((row) => eventOf(row, stateLabels)),
      times: found.map(({ occurred_at }) => occurred_at ?? 0),
      last_event_number: log.last_event_number,
    }
  }
  const { events, last_event_number } = await read()
  if (events.length > 0 || wait === 0) return events
  const found = await readers.until({ client_id, after: last_event_number, waitMs: wait * 1000, whenLeft })
  if (!found) return events
  const { events: arrived, times } = await read()
  observeLag('client', times)
  return arrived
}

/** Refuses a number before the first event still kept or after the last event: reading on from it would miss events. */
function refuseOutside(
  { first_event_number, last_event_number }: { first_event_number: number; last_event_number: number },
  after: number | undefined,
): void {
  if (after === undefined) return
  if (after + 1 < first_event_number) throw new Refusal('events_expired', { after, first_event_number })
  if (after > last_event_number) throw new Refusal('event_number_ahead', { after, last_event_number })
}
