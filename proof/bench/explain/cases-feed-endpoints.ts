/** Endpoints of the operators' feed, and pushing to them. */
import type { ExplainCases } from './explain-case.ts'

const endpoint_id = 7
/** One that a worker has leased, behind all events. */
const leased = `insert into feed_endpoints (endpoint_id, url, secret, generation, after_transaction, after_client,
    after_number, lease, leased_until)
  values (${endpoint_id}, 'https://erp.example/', 'x', 0, '0', 0, 0, 'explain', now() + interval '1 minute')`
const free = `${leased}; update feed_endpoints set lease = null, leased_until = null`
const position = { generation: 0, after_transaction: '1', after_client: 0, after_number: 0 }
const attempt = { endpoint_id, message_id: 'feed_7_ab', event_count: 3, status: 204 }
const log = `${leased}; insert into feed_deliveries (endpoint_id, message_id, event_count, attempt, duration_ms)
  select ${endpoint_id}, n::text, 1, 1, 5 from generate_series(1, 30) n`

export const feedEndpointCases: ExplainCases = {
  'create-feed-endpoint': {
    values: { endpoint_url: 'https://erp.example/', types: '{}', new_secret: 'x', endpoints_max: 20, ...position },
    writes: 'feed_endpoints audit_entries operator_idempotency_keys',
  },
  'change-feed-endpoint': {
    values: { changed_id: endpoint_id, active: false, ...position },
    prepare: free,
    writes: 'feed_endpoints audit_entries operator_idempotency_keys',
  },
  'delete-feed-endpoint': { values: { endpoint_id }, prepare: free, writes: 'feed_endpoints audit_entries' },
  'list-feed-endpoints': { prepare: free },
  'request-feed-test': { values: { endpoint_id }, prepare: free, writes: 'feed_endpoints' },
  'list-feed-deliveries': { values: { endpoint_id }, prepare: log, atLeast: 21 },
  'find-due-webhooks, an endpoint of the feed is behind': {
    values: { seen: '9000000000000000', events_max: 2_000, retries_max: 200 },
    prepare: free,
  },
  'measure-backlog, an endpoint of the feed is behind': { prepare: free, bound: 2 * 1000 + 200 },
  'claim-feed-endpoints': { values: { endpoint_ids: `{${endpoint_id}}` }, prepare: free, writes: 'feed_endpoints' },
  'renew-feed-leases': {
    values: { endpoint_ids: `{${endpoint_id}}`, leases: '{explain}' },
    prepare: leased,
    writes: 'feed_endpoints',
  },
  'release-feed-endpoint': { values: { endpoint_id }, prepare: leased, atLeast: 0, writes: 'feed_endpoints' },
  'record-feed-delivery': {
    values: { ...attempt, ...position, more: false },
    prepare: leased,
    writes: 'feed_endpoints feed_deliveries',
  },
  'record-feed-failure, paused': {
    values: { ...attempt, status: 410, failure: '410', delay_ms: 5_000, gone: true },
    prepare: leased,
    writes: 'feed_endpoints feed_deliveries audit_entries',
  },
  'record-feed-test': { values: attempt, prepare: leased, atLeast: 0, writes: 'feed_deliveries' },
  'list-feed-secrets': { prepare: free },
  'seal-feed-secret': {
    values: { endpoint_id, before: 'x', sealed: 'y' },
    prepare: free,
    writes: 'feed_endpoints',
  },
}
