/** All clients' events in one order, for a program that follows them: without loss and without repetition at the cursor. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import { eventColumns, eventDataOf } from './event-data.ts'
import { decodePosition, encodeCursor, pageSizeDefault } from '../paging.ts'
import { exampleOrder, type StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const FeedEvent = Type.Object(
  {
    client_id: Type.Integer({ description: 'Whose event it is.' }),
    event_number: Type.Integer({ description: "Counts the client's events without gaps." }),
    event_type: Type.String({ description: 'What happened, such as `order.created`.' }),
    event_datetime: Type.String({ description: 'When, `YYYY-MM-DD HH:MM:SS`.' }),
    order_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The order it happened to.' }),
    data: Type.Object(
      {},
      { additionalProperties: true, description: 'What changed: see the catalogue of event types.' },
    ),
    actor: Type.String({ description: 'Who did it: a key of the client or of an operator.' }),
    request_id: Type.String({ description: 'The X-Request-Id of the request that did it.' }),
  },
  {
    $id: 'FeedEvent',
    additionalProperties: false,
    examples: [
      {
        client_id: 12,
        event_number: 7,
        event_type: 'order.created',
        event_datetime: '2026-11-15 09:30:00',
        order_id: 5012,
        data: exampleOrder,
        actor: 'operator key 3, Anna Berg',
        request_id: 'pC2k9QxZ-1f',
      },
    ],
  },
)
export type FeedEvent = Static<typeof FeedEvent>

const listAllEventsSql = statement(new URL('list-all-events.sql', import.meta.url), {
  parameters: {
    generation: nullable(int4),
    after_transaction: nullable(text),
    after_client: nullable(int8),
    after_number: nullable(int8),
    page_size: int8,
  },
  columns: {
    generation: int4,
    after_transaction: text,
    after_client: int8,
    after_number: int8,
    expired: nullable(bool),
    transaction_id: text,
    client_id: int8,
    actor: text,
    request_id: text,
    ...eventColumns,
    event_number: nullable(int8),
  },
})

const lookAgainAfterMs = 200

export interface FeedPage {
  readonly events: FeedEvent[]
  /** Where to go on; the same as before when there was nothing new. */
  readonly next_cursor: string
}

/** The next events after the cursor. With `wait`, an empty answer comes only after so many seconds without an event. */
export async function followEvents(
  db: Database,
  labels: StateLabels,
  {
    cursor,
    limit = pageSizeDefault,
    wait = 0,
  }: { cursor?: string | undefined; limit?: number | undefined; wait?: number | undefined },
): Promise<FeedPage> {
  const [, ...position] = decodePosition(cursor, [], /^(\d{1,9})-(\d{1,16})-(\d{1,16})-(\d{1,16})$/) ?? []
  const [generation = null, after_transaction = null, after_client = null, after_number = null] = position
  const after = {
    generation: numberOrNull(generation),
    after_transaction,
    after_client: numberOrNull(after_client),
    after_number: numberOrNull(after_number),
    page_size: limit,
  }
  const deadline = performance.now() + wait * 1000
  for (;;) {
    const rows = await db.rows(listAllEventsSql, after)
    const [feed] = rows
    assert(feed) // There is always one.
    if (feed.expired === true) throw new Refusal('feed_expired', {})
    const events = rows.flatMap(({ event_number, ...row }) =>
      event_number === null ? [] : [{ event_number, ...row, data: eventDataOf({ event_number, ...row }, labels) }],
    )
    const last = events.at(-1)
    const cursorAt = (...at: (string | number)[]): string => encodeCursor([feed.generation, ...at].join('-'), [])
    if (last !== undefined) {
      const next_cursor = cursorAt(last.transaction_id, last.client_id, last.event_number)
      return { events, next_cursor } // The schema leaves out what is not an event's.
    }
    if (performance.now() + lookAgainAfterMs > deadline) {
      return { events, next_cursor: cursorAt(feed.after_transaction, feed.after_client, feed.after_number) }
    }
    await sleep(lookAgainAfterMs)
  }
}

const numberOrNull = (digits: string | null): number | null => (digits === null ? null : Number(digits))
