import { idempotencyKey } from './cases-carts.ts'
import type { ExplainCase } from './explain-case.ts'
import type { SampledValues } from './sample.ts'

const by = { actor: 'key 1', request_id: 'req-explain' }

export function webhookExplainCases({ client_id }: SampledValues): ExplainCase[] {
  const webhook_id = client_id * 2
  const one = { client_id, webhook_id }
  const withEvent = ['webhooks', 'clients', 'events']
  const lease = `update webhooks set lease = 'explain', leased_until = now() + interval '1 minute',
    delivered_event_number = 0 where webhook_id = ${webhook_id}`
  const attempt = {
    ...one,
    lease: 'explain',
    event_number: 1,
    event_type: 'order.created',
    attempt: 1,
    duration_ms: 90,
  }
  const pending = {
    client_ids: `{${client_id}}`,
    after_numbers: '{0}',
    window: 1_000,
    page_size: 20,
    bytes_max: 204_800,
  }
  return [
    {
      statement: 'create-webhook',
      variant: '',
      values: {
        client_id,
        url: 'https://dealer.example/',
        event_types: '{}',
        secret: 'whsec_',
        ...by,
        ...idempotencyKey,
      },
      writes: [...withEvent, 'idempotency_keys'],
    },
    {
      statement: 'change-webhook',
      variant: '',
      values: { ...one, url: null, event_types: null, active: false, from_event_number: 1, changes: '{}', ...by },
      writes: withEvent,
    },
    { statement: 'explain-webhook-change', variant: '', values: one },
    {
      statement: 'rotate-webhook-secret',
      variant: '',
      values: { ...one, secret: 'whsec_', ...by, ...idempotencyKey },
      writes: [...withEvent, 'idempotency_keys'],
    },
    { statement: 'delete-webhook', variant: '', values: { ...one, ...by }, writes: withEvent },
    { statement: 'list-webhooks', variant: '', values: { client_id }, atLeast: 2 },
    { statement: 'read-webhook', variant: '', values: one },
    { statement: 'request-webhook-test', variant: '', values: one, writes: ['webhook_tests'] },
    {
      statement: 'list-webhook-deliveries',
      variant: 'first page',
      values: { ...one, before_id: Number.MAX_SAFE_INTEGER, page_size: 11 },
      atLeast: 11,
    },
    {
      statement: 'list-webhook-deliveries',
      variant: 'by an operator',
      values: { client_id: null, webhook_id, before_id: Number.MAX_SAFE_INTEGER, page_size: 11 },
      atLeast: 11,
    },
    ...[
      { variant: '', client_id: null, paused: null, after_id: 50, atLeast: 21 },
      { variant: 'paused', client_id: null, paused: true, after_id: 0, atLeast: 0 },
      { variant: 'of a client', client_id: one.client_id, paused: null, after_id: 0, atLeast: 1 },
    ].map(({ variant, atLeast, ...filters }) => ({
      statement: 'list-operator-webhooks',
      variant,
      values: { ...filters, page_size: 21 },
      atLeast,
    })),
    {
      statement: 'pause-webhook',
      variant: '',
      values: { webhook_id, active: false, text: 'No.', ...by },
      writes: withEvent,
    },
    {
      statement: 'find-due-webhooks',
      variant: 'new events and retries',
      values: { seen: '0', events_max: 50, retries_max: 50 },
      prepare: `update webhooks set next_attempt_at = now() where webhook_id <= 10`,
      atLeast: 11,
      bound: 250, // The events, and the endpoints of at most that many clients.
    },
    {
      statement: 'find-due-webhooks',
      variant: 'nothing',
      values: { seen: '9000000000000000', events_max: 2_000, retries_max: 200 },
    },
    { statement: 'scan-webhooks', variant: '', values: { after_id: 20, page_size: 100 }, atLeast: 100 },
    {
      statement: 'claim-webhooks',
      variant: '',
      values: { webhook_ids: `{${webhook_id},1}`, lease: 'explain', lease_ms: 1_000 },
      prepare: `update webhooks set delivered_event_number = 0 where webhook_id = ${webhook_id}`,
      writes: ['webhooks'],
    },
    {
      statement: 'renew-leases',
      variant: '',
      values: { webhook_ids: `{${webhook_id}}`, leases: '{explain}', lease_ms: 1_000 },
      prepare: lease,
      writes: ['webhooks'],
    },
    {
      statement: 'release-webhook',
      variant: '',
      values: { ...one, lease: 'explain' },
      prepare: lease,
      atLeast: 0,
      writes: ['webhooks'],
    },
    {
      statement: 'read-pending-events',
      variant: '',
      values: { ...pending, event_types: '{""}' },
      atLeast: 5,
    },
    {
      statement: 'read-pending-events',
      variant: 'of twenty endpoints',
      values: {
        ...pending,
        client_ids: `{${Array.from({ length: 20 }, () => client_id).join(',')}}`,
        after_numbers: `{${Array.from({ length: 20 }, () => 0).join(',')}}`,
        event_types: `{${Array.from({ length: 20 }, () => '""').join(',')}}`,
      },
      atLeast: 100,
    },
    {
      statement: 'read-pending-events',
      variant: 'of a type that never occurs',
      values: { ...pending, event_types: '{none}' },
    },
    {
      statement: 'record-delivery',
      variant: '',
      values: { ...attempt, status: 204, error: null, lease_ms: 1_000 },
      prepare: lease,
      writes: ['webhooks', 'webhook_deliveries'],
    },
    {
      statement: 'record-deliveries',
      variant: '',
      values: {
        client_ids: `{${client_id}}`,
        webhook_ids: `{${webhook_id}}`,
        leases: '{explain}',
        event_numbers: '{1}',
        event_types: '{order.created}',
        attempts: '{1}',
        statuses: '{204}',
        errors: '{null}',
        durations_ms: '{1}',
        lease_ms: 1_000,
      },
      prepare: lease,
      writes: ['webhooks', 'webhook_deliveries'],
    },
    {
      statement: 'record-failure',
      variant: 'paused',
      values: {
        ...attempt,
        status: 410,
        error: null,
        failure: '410',
        delay_ms: 5_000,
        gone: true,
        actor: 'worker',
        request_id: 'explain',
      },
      prepare: lease,
      writes: [...withEvent, 'webhook_deliveries'],
    },
    {
      statement: 'take-webhook-tests',
      variant: '',
      values: { tests_max: 20 },
      prepare: `insert into webhook_tests (client_id, webhook_id) values (${client_id}, ${webhook_id})`,
      writes: ['webhook_tests'],
    },
    {
      statement: 'record-webhook-test',
      variant: '',
      values: { ...one, event_type: 'webhook.test', status: 204, error: null, duration_ms: 90 },
      atLeast: 0,
      writes: ['webhook_deliveries'],
    },
    {
      statement: 'find-unsealed-secrets',
      variant: '',
      values: { after_id: 20, page_size: 100, sealed_prefix: 'sealed:2026:' },
      atLeast: 100,
    },
    {
      statement: 'store-sealed-secrets',
      variant: '',
      values: { webhook_ids: `{${webhook_id}}`, before: '{plain}', after: '{sealed}' },
      prepare: `update webhooks set secret = 'plain' where webhook_id = ${webhook_id}`,
      writes: ['webhooks'],
    },
    {
      statement: 'sweep-webhook-deliveries',
      variant: 'some are old',
      values: {},
      prepare: `update webhook_deliveries set attempted_at = now() - interval '31 days' where client_id <= 5`,
      writes: ['webhook_deliveries'],
    },
  ]
}
