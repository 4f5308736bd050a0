/**
 * Finds endpoints that have something to send. Polling for new events and due retries makes delivery fast; the scan over
 * all endpoints makes it complete, because what an endpoint has not received follows from its position alone.
 */
import { lackingEvents } from './delivery-metrics.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, int8Array, nullable, numeric, text } from 'pg-statements/types.ts'

const findDueWebhooksSql = statement(new URL('find-due-webhooks.sql', import.meta.url), {
  parameters: { seen: text, events_max: int8, retries_max: int8 },
  columns: {
    seen: text,
    is_complete: bool,
    next_retry_ms: nullable(numeric),
    feed_endpoint_ids: nullable(int8Array),
    client_id: nullable(int8),
    webhook_id: nullable(int8),
    event_number: nullable(int8),
  },
})
const scanWebhooksSql = statement(new URL('scan-webhooks.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: { client_id: int8, webhook_id: int8, lacking: int8, active: bool, due: bool },
})

const eventsPerPollMax = 2_000 // More than PostgreSQL writes in the 50 ms between polls.
const retriesPerPollMax = 200
const scanPageSize = 1_000 // Every 500 ms: 10,000 endpoints are scanned in 5 seconds. A page takes a few milliseconds.

export interface DueWebhook {
  readonly webhook_id: number
  readonly client_id: number
  /** Its previous delivery failed. */
  readonly retry: boolean
}

interface Polled {
  /** Endpoints with new events since the previous poll, and endpoints whose retry is due. */
  readonly due: DueWebhook[]
  /** The endpoints of the feed that have something to send. */
  readonly dueOfFeed: readonly number[]
  /** Whether no transaction is open that may have written events, which a later poll will find. */
  readonly isComplete: boolean
  /** When the next retry is due. */
  readonly nextRetryMs: number
}

export interface DueWebhookFinder {
  readonly poll: () => Promise<Polled>
  /** Endpoints that are behind, of the next page of all endpoints. */
  readonly scan: () => Promise<{ due: DueWebhook[]; isLastPage: boolean }>
}

export function makeDueWebhookFinder(db: Database): DueWebhookFinder {
  let seen = '0'
  let newestPolled: NewestEvents = new Map()
  let scannedTo = 0
  let lacking = 0
  return {
    poll: async () => {
      const rows = await db.rows(findDueWebhooksSql, {
        seen,
        events_max: eventsPerPollMax,
        retries_max: retriesPerPollMax,
      })
      const found = newlyDue(rows, newestPolled)
      seen = rows[0]?.seen ?? seen
      newestPolled = found.newest
      return {
        due: found.due,
        dueOfFeed: rows[0]?.feed_endpoint_ids ?? [],
        isComplete: rows[0]?.is_complete ?? false,
        nextRetryMs: Math.max(0, rows[0]?.next_retry_ms ?? Infinity),
      }
    },
    scan: async () => {
      const rows = await db.rows(scanWebhooksSql, { after_id: scannedTo, page_size: scanPageSize })
      for (const { active, lacking: events } of rows) if (active) lacking += events
      const isLastPage = rows.length < scanPageSize
      if (isLastPage) {
        lackingEvents.set(lacking)
        lacking = 0
      }
      scannedTo = isLastPage ? 0 : (rows.at(-1)?.webhook_id ?? 0)
      const due = rows.filter((row) => row.due)
      return { due: due.map(({ webhook_id, client_id }) => ({ webhook_id, client_id, retry: false })), isLastPage }
    },
  }
}

/** The newest event of each endpoint that a poll has found. */
export type NewestEvents = ReadonlyMap<number, number>

interface PolledWebhook {
  readonly client_id: number | null
  readonly webhook_id: number | null
  readonly event_number: number | null
}

/**
 * Of the rows of a poll, those that the previous poll has not returned. While a transaction stays open, every poll
 * returns the same events. An endpoint that this poll did not return is forgotten, which bounds the memory: its events
 * have left the range of the polls, and if one came back, a claim would find nothing to send.
 */
export function newlyDue(
  rows: readonly PolledWebhook[],
  previous: NewestEvents,
): { due: DueWebhook[]; newest: NewestEvents } {
  const due: DueWebhook[] = []
  const newest = new Map<number, number>()
  for (const { client_id, webhook_id, event_number } of rows) {
    if (client_id === null || webhook_id === null) continue
    if (event_number !== null) newest.set(webhook_id, event_number)
    if (event_number === null || event_number > (previous.get(webhook_id) ?? 0))
      due.push({ webhook_id, client_id, retry: event_number === null })
  }
  return { due, newest }
}
