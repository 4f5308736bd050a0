/** Endpoints, and delivering to them. */
import { arrayLiteral } from 'pg-statements/types.ts'
import type { ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'

export function webhookCases({ client_id }: Sample): ExplainCases {
  const webhook_id = client_id * 2
  const withEvent = 'webhooks clients events'
  const lease = `update webhooks set lease = 'explain', leased_until = now() + interval '1 minute',
    delivered_event_number = 0 where webhook_id = ${webhook_id}`
  /** Events that endpoints of the client have not received yet. */
  const pending = (endpoints: number, event_type: string) => {
    const times = (value: string | number): string => arrayLiteral(Array.from({ length: endpoints }, () => value))
    const numbers = { client_ids: times(client_id), after_numbers: times(0), window: 1_000 }
    return { ...numbers, event_types: times(event_type), page_size: 20, bytes_max: 204_800 }
  }
  return {
    'create-webhook': {
      values: { url: 'https://dealer.example/', event_types: '{}' },
      writes: `${withEvent} idempotency_keys`,
    },
    'change-webhook': { values: { active: false, from_event_number: 1 }, writes: withEvent },
    'explain-webhook-change': {},
    'rotate-webhook-secret': { writes: `${withEvent} idempotency_keys` },
    'delete-webhook': { writes: withEvent },
    'list-webhooks': { atLeast: 2 },
    'read-webhook': {},
    'request-webhook-test': { writes: 'webhook_tests' },
    'list-webhook-deliveries, first page': { values: { client_id, page_size: 11 }, atLeast: 11 },
    'list-webhook-deliveries, by an operator': { values: { page_size: 11 }, atLeast: 11 },
    'list-operator-webhooks': { values: { after_id: 50 }, atLeast: 21 },
    'list-operator-webhooks, paused': { values: { paused: true }, atLeast: 0 },
    'list-operator-webhooks, of a client': { values: { client_id } },
    'pause-webhook': { values: { active: false, text: 'No.' }, writes: withEvent },
    'find-due-webhooks, new events and retries': {
      values: { seen: '0', events_max: 50, retries_max: 50 },
      prepare: `update webhooks set next_attempt_at = now() where webhook_id <= 10`,
      atLeast: 11,
      bound: 250, // The events, and the endpoints of at most that many clients.
    },
    'find-due-webhooks, nothing': { values: { seen: '9000000000000000', events_max: 2_000, retries_max: 200 } },
    'scan-webhooks': { values: { after_id: 20, page_size: 100 }, atLeast: 100 },
    'claim-webhooks': {
      values: { webhook_ids: `{${webhook_id},1}` },
      prepare: `update webhooks set delivered_event_number = 0 where webhook_id = ${webhook_id}`,
      writes: 'webhooks',
    },
    'renew-leases': {
      values: { webhook_ids: `{${webhook_id}}`, leases: '{explain}' },
      prepare: lease,
      writes: 'webhooks',
    },
    'release-webhook': { prepare: lease, atLeast: 0, writes: 'webhooks' },
    'read-pending-events': { values: pending(1, ''), atLeast: 5 },
    'read-pending-events, of twenty endpoints': { values: pending(20, ''), atLeast: 100 },
    'read-pending-events, of a type that never occurs': { values: pending(1, 'none') },
    'record-delivery': { values: { status: 204 }, prepare: lease, writes: 'webhooks webhook_deliveries' },
    'record-deliveries': {
      // prettier-ignore
      values: {
        client_ids: `{${client_id}}`, webhook_ids: `{${webhook_id}}`, leases: '{explain}', attempts: '{1}', errors: '{null}',
        event_numbers: '{1}', event_types: '{order.created}', statuses: '{204}', durations_ms: '{1}',
      },
      prepare: lease,
      writes: 'webhooks webhook_deliveries',
    },
    'record-failure, paused': {
      values: { status: 410, failure: '410', delay_ms: 5_000, gone: true },
      prepare: lease,
      writes: `${withEvent} webhook_deliveries`,
    },
    'take-webhook-tests': {
      values: { tests_max: 20 },
      prepare: `insert into webhook_tests (client_id, webhook_id) values (${client_id}, ${webhook_id})`,
      writes: 'webhook_tests',
    },
    'record-webhook-test': {
      values: { event_type: 'webhook.test', status: 204 },
      atLeast: 0,
      writes: 'webhook_deliveries',
    },
    'find-unsealed-secrets': {
      values: { after_id: 20, page_size: 100, sealed_prefix: 'sealed:2026:' },
      atLeast: 100,
    },
    'store-sealed-secrets': {
      values: { webhook_ids: `{${webhook_id}}`, before: '{plain}', after: '{sealed}' },
      prepare: `update webhooks set secret = 'plain' where webhook_id = ${webhook_id}`,
      writes: 'webhooks',
    },
    'sweep-webhook-deliveries, some are old': {
      prepare: `update webhook_deliveries set attempted_at = now() - interval '31 days' where client_id <= 5`,
      writes: 'webhook_deliveries',
    },
  }
}
