/**
 * The worker's periodic jobs. Each looks for what is due now, not for what has happened since its last run, so the next run
 * does what a missed or interrupted one left. It works in batches, each one statement, so it can be interrupted between any
 * two of them and repeated.
 */
import { sweepCartGroups } from '../carts/sweep-cart-groups.ts'
import { sweepCarts } from '../carts/sweep-carts.ts'
import { publishItemChanges } from '../catalogue/changes/publish-item-changes.ts'
import { deleteCatalogueChanges } from '../catalogue/delete-catalogue-changes.ts'
import { eraseAddresses } from '../clients/contacts/erase-addresses.ts'
import { countFigures } from '../desk/count-figures.ts'
import { sealAuditDays } from '../keys/audit/seal-audit-days.ts'
import { recordExpiredKeys } from '../keys/record-expired-keys.ts'
import { expireEvents } from '../events/expiry/expire-events.ts'
import { finishImports } from '../imports/run-import.ts'
import { archiveOrders } from '../orders/moving/archive-orders.ts'
import { deleteOrders } from '../orders/moving/delete-orders.ts'
import type { Database } from 'pg-statements/database.ts'
import { sweepIdempotencyKeys } from '../retries/sweep-idempotency-keys.ts'
import { sealWebhookSecrets } from '../webhooks/secrets/seal-webhook-secrets.ts'
import type { SecretBox } from '../webhooks/secrets/secret-box.ts'
import { sweepWebhookDeliveries } from '../webhooks/delivery/sweep-webhook-deliveries.ts'

export interface Job {
  /** Its row in `worker_jobs`, and its label in logs and metrics. */
  readonly name: string
  /** Runs at every multiple of this after midnight UTC. A divisor of a day, so that each day has the same times. */
  readonly everyMinutes: number
  /** Shifts these times. */
  readonly offsetMinutes?: number
  /** Yields the number of handled rows after each batch. Two runs at the same time share the work. */
  readonly run: (db: Database, run: Run) => AsyncIterable<number>
}

export interface Run {
  /** Names the run in the log, and in the events that it writes. */
  readonly request_id: string
  /** A run stops between two yields on its own; a job that does many batches in one yield checks this. */
  readonly cutOff: AbortSignal
}

export interface JobSettings {
  /** With the connection settings of imports. */
  readonly importDb: Database
  readonly archiveAfterDays: number
  readonly eraseAddressesAfterDays: number | null
  readonly eventsKeptDays: number
  /** These are null for ever. */
  readonly auditDays: number | null
  readonly ordersKeptDays: number | null
  readonly catalogueChangesKeptDays: number | null
  readonly importsKeptDays: number | null
  readonly box: SecretBox
}

export const jobsOf = ({
  importDb,
  archiveAfterDays,
  eraseAddressesAfterDays,
  eventsKeptDays,
  auditDays,
  ordersKeptDays,
  catalogueChangesKeptDays,
  importsKeptDays,
  box,
}: JobSettings): readonly Job[] => [
  {
    name: 'archive-orders',
    everyMinutes: 10,
    run: (db, { request_id }) => archiveOrders(db, { request_id, after_days: archiveAfterDays }),
  },
  { name: 'count-figures', everyMinutes: 10, run: countFigures },
  {
    name: 'delete-catalogue-changes',
    everyMinutes: 60,
    offsetMinutes: 20,
    run: (db) => deleteCatalogueChanges(db, { kept_days: catalogueChangesKeptDays }),
  },
  {
    name: 'delete-orders',
    everyMinutes: 10,
    run: (db) => deleteOrders(db, { kept_days: ordersKeptDays }),
  },
  {
    name: 'erase-addresses',
    everyMinutes: 10,
    run: (db) => eraseAddresses(db, { after_days: eraseAddressesAfterDays }),
  },
  {
    name: 'expire-events',
    everyMinutes: 10,
    run: (db) => expireEvents(db, { kept_days: eventsKeptDays }),
  },
  {
    name: 'finish-imports',
    everyMinutes: 1,
    run: async function* (_, { cutOff }) {
      yield await finishImports(importDb, { kept_days: importsKeptDays, stopping: () => cutOff.aborted })
    },
  },
  { name: 'publish-item-changes', everyMinutes: 1, run: publishItemChanges },
  { name: 'record-expired-keys', everyMinutes: 1, run: recordExpiredKeys },
  {
    name: 'seal-audit-days',
    everyMinutes: 60,
    run: (db) => sealAuditDays(db, { kept_days: auditDays }),
  },
  { name: 'seal-webhook-secrets', everyMinutes: 10, run: (db) => sealWebhookSecrets(db, box) },
  { name: 'sweep-cart-groups', everyMinutes: 24 * 60, offsetMinutes: 2 * 60 + 20, run: sweepCartGroups },
  { name: 'sweep-carts', everyMinutes: 24 * 60, offsetMinutes: 2 * 60 + 40, run: sweepCarts },
  { name: 'sweep-idempotency-keys', everyMinutes: 10, run: sweepIdempotencyKeys },
  { name: 'sweep-webhook-deliveries', everyMinutes: 30, run: sweepWebhookDeliveries },
]
