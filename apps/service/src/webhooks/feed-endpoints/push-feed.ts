/**
 * Pushes the feed to the endpoints that have something to send. They have no slots: there are few, and each has a turn
 * of its own, so that none waits for another, and no client's endpoint for one of them.
 */
import { leasedColumns, type LeasedFeedEndpoint } from './feed-endpoint.ts'
import { pushToEndpoint } from './push-to-endpoint.ts'
import type { DeliveryOptions } from '../delivery/deliver-to-endpoint.ts'
import type { FeedPush, FeedRun } from '../delivery/deliver-webhooks.ts'
import { keepConnections } from '../delivery/keep-connections.ts'
import { makeLeases, type Leases } from '../due/leases.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int4, int8, int8Array, text, textArray } from 'pg-statements/types.ts'

const claimFeedEndpointsSql = statement(new URL('claim-feed-endpoints.sql', import.meta.url), {
  parameters: { endpoint_ids: int8Array, lease: text, lease_ms: int4 },
  columns: leasedColumns,
})
const renewFeedLeasesSql = shortStatement('renew-feed-leases', {
  sql: `update feed_endpoints set leased_until = now() + :lease_ms::integer * interval '1 millisecond'
    where endpoint_id = any(:endpoint_ids) and lease = any(:leases)
    returning endpoint_id`,
  parameters: { endpoint_ids: int8Array, leases: textArray, lease_ms: int4 },
  columns: { endpoint_id: int8 },
})
const releaseFeedEndpointSql = shortStatement('release-feed-endpoint', {
  sql: `update feed_endpoints set lease = null, leased_until = null
    where endpoint_id = :endpoint_id and lease = :lease`,
  parameters: { endpoint_id: int8, lease: text },
  columns: {},
})

export function startFeedPush(options: DeliveryOptions, { stopped, onError }: FeedRun): FeedPush {
  const leases = makeFeedLeases(options.db, options.leaseMs)
  const connections = keepConnections(options)
  const turns = new Map<number, Promise<void>>()
  return {
    push: async (endpoint_ids) => {
      const free = endpoint_ids.filter((endpoint_id) => !turns.has(endpoint_id))
      if (free.length === 0 || stopped.aborted) return
      for (const { endpoint, lease } of await leases.claim(free)) {
        const turn = pushToEndpoint({ ...options, connections }, endpoint, {
          lease,
          stopped,
          release: () => leases.release(endpoint, lease),
        })
          .catch(onError) // The lease expires, and a poll finds the endpoint.
          .finally(() => {
            leases.forget(endpoint)
            turns.delete(endpoint.endpoint_id)
          })
        turns.set(endpoint.endpoint_id, turn)
      }
    },
    turns: () => [...turns.values()],
    renewAll: leases.renewAll,
    close: () => {
      leases.close()
      connections.close()
    },
  }
}

const makeFeedLeases = (db: Database, lease_ms: number): Leases<LeasedFeedEndpoint> =>
  makeLeases(lease_ms, {
    idOf: ({ endpoint_id }) => endpoint_id,
    claim: (endpoint_ids, lease) => db.rows(claimFeedEndpointsSql, { endpoint_ids, lease, lease_ms }),
    renew: async (endpoint_ids, names) =>
      (await db.rows(renewFeedLeasesSql, { endpoint_ids, leases: names, lease_ms })).map(
        ({ endpoint_id }) => endpoint_id,
      ),
    release: ({ endpoint_id }, lease) => db.rows(releaseFeedEndpointSql, { endpoint_id, lease }),
  })
