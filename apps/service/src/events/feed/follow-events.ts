/** The feed of all clients' events in one fixed order. A reader that follows the cursor misses and repeats nothing. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventColumns, eventOrderColumns, hasEvent } from '../event-data.ts'
import { observeLag } from '../feed-lag.ts'
import { feedEventOf, type FeedEvent } from '../feed-event.ts'
import { type PageRequest, positionAfter } from '../../vocabulary/paging.ts'
import type { StateLabels } from '../../orders/order.ts'
import { bytesPerPageMax } from '../../orders/order-goods.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, instant, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const listAllEventsSql = statement(new URL('list-all-events.sql', import.meta.url), {
  parameters: {
    generation: nullable(int4),
    after_transaction: nullable(text),
    after_client: nullable(int8),
    after_number: nullable(int8),
    from_now: bool,
    page_size: int8,
    bytes_max: int8,
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
    occurred_at: nullable(instant),
    ...eventColumns,
    event_number: nullable(int8),
  },
  listed: eventOrderColumns,
})

export const feedStarts = ['oldest', 'now'] as const
export type FeedStart = (typeof feedStarts)[number]

const pollIntervalMs = 200

export interface FeedPage {
  readonly events: FeedEvent[]
  /** The cursor of the next request; the same position as before if there was no new event. */
  readonly next_cursor: string
}

interface FeedRequest {
  readonly page: PageRequest
  /** How long to wait for an event if there is none, in seconds. */
  readonly wait?: number | undefined
  /** Where to start without a cursor. */
  readonly from?: FeedStart | undefined
}

export async function followEvents(
  db: Database,
  labels: StateLabels,
  { page, wait = 0, from = 'oldest' }: FeedRequest,
): Promise<FeedPage> {
  const [, ...position] = positionAfter(page, /^(\d{1,9})-(\d{1,16})-(\d{1,16})-(\d{1,16})$/) ?? []
  const [generation = null, after_transaction = null, after_client = null, after_number = null] = position
  const after = {
    generation: numberOrNull(generation),
    after_transaction,
    after_client: numberOrNull(after_client),
    after_number: numberOrNull(after_number),
    from_now: from === 'now',
    page_size: page.limit,
    bytes_max: bytesPerPageMax,
  }
  const deadline = performance.now() + wait * 1000
  for (let waited = false; ; waited = true) {
    const rows = await db.rows(listAllEventsSql, after)
    const [feed] = rows
    assert(feed) // The statement returns a row even if there is no event.
    if (feed.expired === true) throw new Refusal('feed_expired', {})
    const found = rows.filter(hasEvent)
    const last = found.at(-1)
    const cursorAt = (...at: (string | number)[]): string => page.cursorAt([feed.generation, ...at].join('-'))
    if (last !== undefined) {
      if (waited) observeLag('operator', found.map(({ occurred_at }) => occurred_at ?? 0)) // prettier-ignore
      return {
        events: found.map((row) => feedEventOf(row, labels)),
        next_cursor: cursorAt(last.transaction_id, last.client_id, last.event_number),
      }
    }
    if (performance.now() + pollIntervalMs > deadline) {
      return { events: [], next_cursor: cursorAt(feed.after_transaction, feed.after_client, feed.after_number) }
    }
    // The same position again: `now` must not move on while this waits.
    const { generation, after_transaction, after_client, after_number } = feed
    Object.assign(after, { generation, after_transaction, after_client, after_number })
    await sleep(pollIntervalMs)
  }
}

const numberOrNull = (digits: string | null): number | null => (digits === null ? null : Number(digits))
