/**
 * Leases on endpoints: only the worker that holds an endpoint delivers to it. Each claim gives its leases a new name, so
 * that a statement for an earlier lease changes nothing. Every change of an endpoint's settings drops its lease.
 */
import { randomUUID } from 'node:crypto'
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

export interface WebhookLease {
  readonly name: string
  /** Aborted shortly before another worker may claim the endpoint. */
  readonly lost: AbortSignal
  /** A statement that was sent at this time has extended the lease. */
  readonly extend: (sentAt: number) => void
}

export interface WebhookLeases {
  /** Those of the endpoints that have something to send and that no worker holds. */
  readonly claim: (webhook_ids: number[]) => Promise<{ endpoint: LeasedEndpoint; lease: WebhookLease }[]>
  readonly renewAll: () => Promise<void>
  readonly release: (endpoint: LeasedEndpoint, lease: WebhookLease) => Promise<void>
  /** The lease was released or lost, and is not renewed any more. */
  readonly forget: (endpoint: LeasedEndpoint) => void
  readonly close: () => void
}

export function makeWebhookLeases(db: Database, leaseMs: number): WebhookLeases {
  const held = new Map<number, HeldLease>()

  // Without the database no statement would report that a lease has ended.
  const watch = setInterval(() => {
    for (const lease of held.values()) lease.abortBefore(performance.now() + leaseMs / 8)
  }, leaseMs / 8)

  return {
    claim: async (webhook_ids) => {
      const [name, sentAt] = [randomUUID(), performance.now()]
      const endpoints = await db.rows(claimWebhooksSql, { webhook_ids, lease: name, lease_ms: leaseMs })
      return endpoints.map((endpoint) => {
        const lease = new HeldLease(name, { leaseMs, sentAt })
        held.set(endpoint.webhook_id, lease)
        return { endpoint, lease }
      })
    },
    renewAll: async () => {
      if (held.size === 0) return
      const [renewing, sentAt] = [new Map(held), performance.now()]
      const leases = [...new Set([...renewing.values()].map(({ name }) => name))]
      const renewed = await db.rows(renewLeasesSql, { webhook_ids: [...renewing.keys()], leases, lease_ms: leaseMs })
      for (const { webhook_id } of renewed) {
        const lease = held.get(webhook_id)
        if (lease === renewing.get(webhook_id)) lease?.extend(sentAt) // Not one that was claimed in the meantime.
      }
    },
    release: async ({ client_id, webhook_id }, { name }) => {
      await db.rows(releaseWebhookSql, { client_id, webhook_id, lease: name })
    },
    forget: ({ webhook_id }) => void held.delete(webhook_id),
    close: () => clearInterval(watch),
  }
}

class HeldLease implements WebhookLease {
  readonly name: string
  readonly #leaseMs: number
  readonly #lost = new AbortController()
  #heldUntil: number

  constructor(name: string, { leaseMs, sentAt }: { leaseMs: number; sentAt: number }) {
    this.name = name
    this.#leaseMs = leaseMs
    this.#heldUntil = sentAt + leaseMs
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  extend(sentAt: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, sentAt + this.#leaseMs)
  }

  abortBefore(time: number): void {
    if (this.#heldUntil < time) this.#lost.abort()
  }
}
