/** The feed of all clients' events in one fixed order. A reader that follows the cursor misses and repeats nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { observeLag } from '../feed-lag.ts'
import type { FeedEvent } from '../feed-event.ts'
import { feedCursorOf, feedPositionOf, readFeed } from './read-feed.ts'
import type { PageRequest } from '../../vocabulary/paging.ts'
import type { StateLabels } from '../../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

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
  let after = feedPositionOf(page)
  const deadline = performance.now() + wait * 1000
  for (let waited = false; ; waited = true) {
    const read = await readFeed(db, labels, { after, limit: page.limit, fromNow: from === 'now' })
    if (read.expired) throw new Refusal('feed_expired', {})
    const { events, times, next } = read
    if (events.length > 0 && waited) observeLag('operator', times)
    if (events.length > 0 || performance.now() + pollIntervalMs > deadline)
      return { events, next_cursor: feedCursorOf(next) }
    after = next // The same position again: `now` must not move on while this waits.
    await sleep(pollIntervalMs)
  }
}
