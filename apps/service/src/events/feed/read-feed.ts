/** A page of the feed of all clients' events, for those who ask for it and for those to whom it is pushed. */
import assert from 'node:assert/strict'
import { eventColumns, eventOrderColumns, hasEvent } from '../event-data.ts'
import { feedEventOf, type FeedEvent } from '../feed-event.ts'
import { pageOf, positionAfter, type PageRequest } from '../../vocabulary/paging.ts'
import type { StateLabels } from '../../orders/order.ts'
import { bytesPerPageMax } from '../../orders/order-goods.ts'
import type { RefusalError } from '../../vocabulary/refusals.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, instant, int4, int8, nullable, text } from 'pg-statements/types.ts'

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

const feedPath = '/operator/v1/events/'

/** Everything up to it has been read. */
export interface FeedPosition {
  readonly generation: number
  readonly after_transaction: string
  readonly after_client: number
  readonly after_number: number
}

export interface FeedRead {
  readonly events: FeedEvent[]
  /** When each of them happened. */
  readonly times: readonly number[]
  /** Where the page starts. */
  readonly after: FeedPosition
  /** Where the next page starts; the same if there are no events. */
  readonly next: FeedPosition
  /** Whether events were left out because of the limits. */
  readonly isCut: boolean
  /** Whether events after the position have been deleted. */
  readonly expired: boolean
}

interface FeedStartingAt {
  /** By default the oldest event that is kept. */
  readonly after: FeedPosition | null
  readonly limit: number
  /** Without a position: start after everything that the feed shows now. */
  readonly fromNow?: boolean
}

export async function readFeed(
  db: Database,
  labels: StateLabels,
  { after, limit, fromNow = false }: FeedStartingAt,
): Promise<FeedRead> {
  const rows = await db.rows(listAllEventsSql, {
    ...(after === null ? noPosition : positionIn(after)),
    from_now: fromNow,
    page_size: limit,
    bytes_max: bytesPerPageMax,
  })
  const [feed] = rows
  assert(feed) // The statement returns a row even if there is no event.
  const start = positionIn(feed)
  const found = feed.expired === true ? [] : rows.filter(hasEvent)
  const last = found.at(-1)
  return {
    events: found.map((row) => feedEventOf(row, labels)),
    times: found.map(({ occurred_at }) => occurred_at ?? 0),
    after: start,
    next:
      last === undefined
        ? start
        : {
            generation: feed.generation,
            after_transaction: last.transaction_id,
            after_client: last.client_id,
            after_number: last.event_number,
          },
    isCut: found.length > 0 && (found.length === limit || found.length < rows.length),
    expired: feed.expired === true,
  }
}

/** The position alone, of something that has one. */
export const positionIn = ({
  generation,
  after_transaction,
  after_client,
  after_number,
}: FeedPosition): FeedPosition => ({
  generation,
  after_transaction,
  after_client,
  after_number,
})

const noPosition = { generation: null, after_transaction: null, after_client: null, after_number: null }

const written = ({ generation, after_transaction, after_client, after_number }: FeedPosition): string =>
  [generation, after_transaction, after_client, after_number].join('-')

/** The position that the cursor of a request stands for; null without a cursor. */
export function feedPositionOf(page: PageRequest): FeedPosition | null {
  const [, generation, after_transaction, after_client, after_number] =
    positionAfter(page, /^(\d{1,9})-(\d{1,16})-(\d{1,16})-(\d{1,16})$/) ?? []
  if (after_transaction === undefined) return null
  return {
    generation: Number(generation),
    after_transaction,
    after_client: Number(after_client),
    after_number: Number(after_number),
  }
}

const feedPage = (query: object, problems: RefusalError[] = []): PageRequest =>
  pageOf({ path: feedPath, params: {}, query: { ...query } }, problems)

export const feedCursorOf = (position: FeedPosition): string => feedPage({}).cursorAt(written(position))

/** Undefined if it is no cursor of the feed. */
export function readFeedCursor(cursor: string): FeedPosition | undefined {
  const problems: RefusalError[] = []
  const page = feedPage({ cursor }, problems)
  return problems.length > 0 ? undefined : (feedPositionOf(page) ?? undefined)
}
