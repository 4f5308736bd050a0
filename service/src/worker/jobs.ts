/**
 * What the worker does, and when. Each job looks for what is due now, not at when it ran last: what a run has missed, or was cut off
 * from, the next one does. It works in batches, each one statement, so that it can be cut off between any two and repeated at will.
 */
import { sweepCartGroups } from '../carts/sweep-cart-groups.ts'
import { recordExpiredKeys } from '../access/record-expired-keys.ts'
import { expireEvents } from '../events/expire-events.ts'
import { openImportDatabase } from '../imports/import-runner.ts'
import { finishImports } from '../imports/run-import.ts'
import { archiveOrders } from '../orders/archive-orders.ts'
import type { Database } from 'pg-statements/database.ts'
import { sweepIdempotencyKeys } from '../retries/sweep-idempotency-keys.ts'
import { sweepWebhookDeliveries } from '../webhooks/sweep-webhook-deliveries.ts'

export interface Job {
  /** Its task in the queue, and its label in logs and metrics. */
  readonly name: string
  /** Minute, hour, day of the month, month, day of the week; in UTC. */
  readonly schedule: string
  /** Yields after each batch how many rows it has handled. Two runs at once do no harm. */
  readonly run: (db: Database, run: Run) => AsyncIterable<number>
}

export interface Run {
  /** Names the run in the log, and in the events that it writes. */
  readonly request_id: string
  /** Between two batches the run is left by itself; this is for a job that has many in one. */
  readonly cutOff: AbortSignal
}

export interface JobSettings {
  readonly databaseUrl: string
  readonly timeZone: string
  readonly archiveAfterDays: number
  readonly eventsKeptDays: number
}

export const jobsOf = ({ databaseUrl, timeZone, archiveAfterDays, eventsKeptDays }: JobSettings): readonly Job[] => [
  {
    name: 'archive-orders',
    schedule: '*/10 * * * *',
    run: (db, { request_id }) => archiveOrders(db, { request_id, after_days: archiveAfterDays }),
  },
  {
    name: 'expire-events',
    schedule: '*/10 * * * *',
    run: (db) => expireEvents(db, { kept_days: eventsKeptDays }),
  },
  {
    name: 'finish-imports',
    schedule: '* * * * *',
    run: async function* (_, { cutOff }) {
      const db = openImportDatabase({ url: databaseUrl, timeZone })
      try {
        yield await finishImports(db, () => cutOff.aborted)
      } finally {
        await db.close()
      }
    },
  },
  { name: 'record-expired-keys', schedule: '* * * * *', run: recordExpiredKeys },
  { name: 'sweep-cart-groups', schedule: '20 2 * * *', run: sweepCartGroups },
  { name: 'sweep-idempotency-keys', schedule: '*/10 * * * *', run: sweepIdempotencyKeys },
  { name: 'sweep-webhook-deliveries', schedule: '*/30 * * * *', run: sweepWebhookDeliveries },
]
