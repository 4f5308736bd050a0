/** Leases on clients' endpoints. */
import { makeLeases, type Leases } from './leases.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement, type Values } from 'pg-statements/statement.ts'
import { instant, int4, int8, int8Array, nullable, text, textArray } from 'pg-statements/types.ts'

const leasedColumns = {
  client_id: int8,
  webhook_id: int8,
  url: text,
  event_types: textArray,
  secret: text,
  previous_secret: nullable(text),
  delivered_event_number: int8,
  attempts: int4,
  due_at: nullable(instant), // When it was to be tried again after a failure or a pause.
}
const claimWebhooksSql = statement(new URL('claim-webhooks.sql', import.meta.url), {
  parameters: { webhook_ids: int8Array, lease: text, lease_ms: int4 },
  columns: leasedColumns,
})
const renewLeasesSql = statement(new URL('renew-leases.sql', import.meta.url), {
  parameters: { webhook_ids: int8Array, leases: textArray, lease_ms: int4 },
  columns: { webhook_id: int8 },
})
/** Releases an endpoint that is still leased. Clears the name too, so that a renewal in flight cannot restore the lease. */
const releaseWebhookSql = shortStatement('release-webhook', {
  sql: `update webhooks set lease = null, leased_until = null
    where client_id = :client_id and webhook_id = :webhook_id and lease = :lease`,
  parameters: { client_id: int8, webhook_id: int8, lease: text },
  columns: {},
})

export type LeasedEndpoint = Values<typeof leasedColumns>

export const makeWebhookLeases = (db: Database, lease_ms: number): Leases<LeasedEndpoint> =>
  makeLeases(lease_ms, {
    idOf: ({ webhook_id }) => webhook_id,
    claim: (webhook_ids, lease) => db.rows(claimWebhooksSql, { webhook_ids, lease, lease_ms }),
    renew: async (webhook_ids, leases) =>
      (await db.rows(renewLeasesSql, { webhook_ids, leases, lease_ms })).map(({ webhook_id }) => webhook_id),
    release: ({ client_id, webhook_id }, lease) => db.rows(releaseWebhookSql, { client_id, webhook_id, lease }),
  })
