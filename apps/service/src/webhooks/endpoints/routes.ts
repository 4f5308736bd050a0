import Type from 'typebox'
import { changeWebhook } from './change-webhook.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import type { AddressPolicy } from '../public-address.ts'
import { listWebhooks, readWebhook } from './read-webhooks.ts'
import { requestWebhookTest } from './request-webhook-test.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { urlField } from '../url-field.ts'
import { Webhook, WebhookDelivery, webhooksPerClientMax, WebhookWithSecret } from '../webhook.ts'
import { clientEventTypes } from '../../events/event-types.ts'
import { endedIds, exampleIds } from '../../vocabulary/example-ids.ts'
import { flag, id, optional, type Field } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { route, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const webhook_id = id('The id of the endpoint.', exampleIds.webhook_id)

const eventTypes = Object.keys(clientEventTypes)

/** One text with commas, because a field that occurs twice in a form is refused. */
const eventTypesField: Field<string[]> = {
  required: true,
  schema: {
    type: 'string',
    maxLength: 2_000,
    description: 'The event types to send, separated by commas; `*` for all.',
    examples: ['order.state_changed,adjustment.decided'],
  },
  rule: `a list of different event types separated by commas (${eventTypes.join(', ')}), or *`,
  read: (text) => {
    const types = text === '*' ? [] : text.split(',')
    return types.every((type) => eventTypes.includes(type)) && new Set(types).size === types.length ? types : undefined
  },
}

const common = { tag: 'Webhooks', scope: 'webhooks:write' } as const

/** An endpoint is a way to read events. A key that may not read them cannot create, direct or observe one. */
const commonWithEvents = { tag: 'Webhooks', scope: ['webhooks:write', 'events:read'] } as const

export const webhookRoutes = (policy: AddressPolicy, box: SecretBox): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/webhooks/',
    operationId: 'listWebhooks',
    ...common,
    summary: 'List webhook endpoints',
    description: `All endpoints of the client (at most ${webhooksPerClientMax}), oldest first.`,
    data: Type.Array(refer(Webhook)),
    refusals: [],
    handle: ({ db, actor }) => listWebhooks(db, actor),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/',
    operationId: 'createWebhook',
    configures: true,
    ...commonWithEvents,
    summary: 'Create a webhook endpoint',
    description: `Sends events that happen from now on to this URL, in order and each at least once, signed as the Standard Webhooks specification defines. The secret is shown only in this response. A client can have ${webhooksPerClientMax} endpoints. Each call creates a new one unless it repeats an Idempotency-Key.`,
    form: {
      url: urlField(policy, { what: 'events', example: 'https://dealer.example/hooks/orders' }),
      event_types: optional(eventTypesField),
    },
    takesIdempotencyKey: true,
    data: refer(WebhookWithSecret),
    refusals: ['webhook_limit_reached', 'idempotency_key_used'],
    handle: ({ db, actor, form, request_id, retry }) => createWebhook(db, box, { actor, request_id, retry }, form),
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhooks/{webhook_id}/',
    operationId: 'readWebhook',
    ...common,
    summary: 'Read a webhook endpoint',
    params: { webhook_id },
    data: refer(Webhook),
    refusals: ['webhook_not_found'],
    handle: ({ db, actor, params }) => readWebhook(db, actor, params.webhook_id),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/webhooks/{webhook_id}/',
    operationId: 'changeWebhook',
    configures: true,
    ...commonWithEvents,
    summary: 'Change a webhook endpoint',
    description:
      'Changes the given fields and sends the next event at once. An event that was in flight may arrive twice. `active=false` pauses the endpoint, `active=true` resumes it.',
    params: { webhook_id },
    form: {
      url: optional(urlField(policy, { what: 'events', example: 'https://dealer.example/hooks/orders' })),
      event_types: optional(eventTypesField),
      active: optional(flag({ description: 'Whether events are sent.', example: false })),
    },
    partial: true,
    data: refer(Webhook),
    refusals: ['nothing_to_change', 'webhook_not_found', 'webhook_paused_by_operator'],
    handle: ({ db, actor, params, form, request_id }) => changeWebhook(db, { actor, request_id, ...params }, form),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/webhooks/{webhook_id}/',
    operationId: 'deleteWebhook',
    configures: true,
    ...common,
    summary: 'Delete a webhook endpoint',
    description: 'Its delivery log is no longer available. A request in flight may still arrive.',
    params: { webhook_id: id('The id of the endpoint.', endedIds.webhook_id) },
    data: Type.Object({ removed_webhook_id: Type.Integer({ description: 'The id of the deleted endpoint.' }) }),
    refusals: ['webhook_not_found'],
    handle: ({ db, actor, params, request_id }) => deleteWebhook(db, { actor, request_id, ...params }),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/rotate-secret/',
    operationId: 'rotateWebhookSecret',
    configures: true,
    ...commonWithEvents,
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Creates a new secret, shown only in this response. For 24 hours messages are signed with both secrets, so that the receiver can switch at any time; another rotation within these 24 hours ends the oldest secret at once. Send an Idempotency-Key, so that a retry after a lost response returns the same secret.',
    params: { webhook_id },
    takesIdempotencyKey: true,
    data: refer(WebhookWithSecret),
    refusals: ['webhook_not_found', 'idempotency_key_used'],
    handle: ({ db, actor, params, request_id, retry }) =>
      rotateWebhookSecret(db, box, { actor, request_id, ...params }, retry),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/test/',
    operationId: 'testWebhook',
    configures: true,
    ...commonWithEvents,
    summary: 'Send a test event',
    description:
      'Sends an event of type `webhook.test`, without a number, within a second or two. It is also sent to a paused endpoint, and it is not retried. The result is in the delivery log.',
    params: { webhook_id },
    data: Type.Object({ webhook_id: Type.Integer({ description: 'The id of the endpoint.' }) }),
    refusals: ['webhook_not_found'],
    handle: ({ db, actor, params }) => requestWebhookTest(db, actor, params.webhook_id),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/resume/',
    operationId: 'resumeWebhook',
    configures: true,
    ...commonWithEvents,
    summary: 'Resume a paused webhook endpoint',
    description: 'Continues at once with the first event that was not delivered.',
    params: { webhook_id },
    data: refer(Webhook),
    refusals: ['webhook_not_found', 'webhook_paused_by_operator'],
    handle: ({ db, actor, params, request_id }) =>
      changeWebhook(db, { actor, request_id, ...params }, { active: true }),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/replay/',
    operationId: 'replayEvents',
    ...commonWithEvents,
    summary: 'Replay events',
    description:
      'Sends all events from this number on, including those already delivered. Each event keeps its `webhook-id`. A number beyond `delivered_event_number` skips the events in between. A paused endpoint stays paused.',
    params: { webhook_id },
    form: { from_event_number: id('The first event to send.', 1) },
    data: refer(Webhook),
    refusals: ['webhook_not_found', 'events_expired'],
    handle: ({ db, actor, params, form, request_id }) => changeWebhook(db, { actor, request_id, ...params }, form),
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhooks/{webhook_id}/deliveries/',
    operationId: 'listWebhookDeliveries',
    ...commonWithEvents,
    summary: 'List deliveries',
    description: 'Every attempt of the last 30 days, newest first. Response bodies are not stored.',
    params: { webhook_id },
    query: pageFields,
    data: refer(WebhookDelivery),
    paged: true,
    refusals: ['webhook_not_found'],
    handle: ({ db, actor, params, page }) => listWebhookDeliveries(db, { client_id: actor.client_id, ...params }, page),
  }),
]
