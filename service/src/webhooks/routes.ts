import Type from 'typebox'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  requestWebhookTest,
  rotateWebhookSecret,
} from './change-webhook.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { readUrl, urlLengthMax, urlRule, type Where } from './public-address.ts'
import { Webhook, WebhookDelivery, webhooksPerClientMax, WebhookWithSecret } from './webhook.ts'
import { clientEventTypes } from '../events/event-types.ts'
import { flag, id, optional, type Field } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const webhook_id = id('The endpoint.', 41)

const urlField = (where: Where): Field<string> => ({
  required: true,
  schema: {
    type: 'string',
    format: 'uri',
    maxLength: urlLengthMax,
    description: `Where events are sent to: ${urlRule}.`,
    examples: ['https://dealer.example/hooks/orders'],
  },
  rule: urlRule,
  read: (text) => readUrl(text, where)?.href,
})

/** What may be asked for by type; an endpoint without types gets whatever there is. */
const eventTypes = Object.keys(clientEventTypes)

/** In a form a list is one text; a repeated field is refused as everywhere. */
const eventTypesField: Field<string[]> = {
  required: true,
  schema: {
    type: 'string',
    maxLength: 2_000,
    description: 'The types to send, separated by commas; `*` for all.',
    examples: ['order.state_changed,adjustment.decided'],
  },
  rule: `different types separated by commas out of ${eventTypes.join(', ')}, or *`,
  read: (text) => {
    const types = text === '*' ? [] : text.split(',')
    return types.every((type) => eventTypes.includes(type)) && new Set(types).size === types.length ? types : undefined
  },
}

const common = { tag: 'Webhooks', scope: 'webhooks:write' } as const

export const webhookRoutes = (db: Database, where: Where): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/webhooks/',
    operationId: 'listWebhooks',
    ...common,
    summary: 'List webhook endpoints',
    description: `All endpoints of the client, at most ${webhooksPerClientMax}, oldest first.`,
    data: Type.Array(refer(Webhook)),
    refusals: [],
    handle: ({ actor }) => listWebhooks(db, actor),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/',
    operationId: 'createWebhook',
    ...common,
    summary: 'Make a webhook endpoint',
    description: `Events that happen from now on are sent there, in order and each at least once, signed after the Standard Webhooks specification. The secret is shown this once. A client may have ${webhooksPerClientMax} endpoints. Each call makes a new one, unless it repeats an Idempotency-Key.`,
    form: { url: urlField(where), event_types: optional(eventTypesField) },
    takesIdempotencyKey: true,
    data: refer(WebhookWithSecret),
    refusals: ['webhook_limit_reached', 'idempotency_key_used'],
    handle: ({ actor, form, request_id, retry }) => createWebhook(db, { actor, request_id }, { ...form, retry }),
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
    handle: ({ actor, params }) => readWebhook(db, actor, params.webhook_id),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/webhooks/{webhook_id}/',
    operationId: 'changeWebhook',
    ...common,
    summary: 'Change a webhook endpoint',
    description:
      'Changes what is sent. The next event is then tried at once; one that was under way may come twice. `active=false` pauses the endpoint, `active=true` resumes it.',
    params: { webhook_id },
    form: {
      url: optional(urlField(where)),
      event_types: optional(eventTypesField),
      active: optional(flag({ description: 'Whether events are sent.', example: false })),
    },
    partial: true,
    data: refer(Webhook),
    refusals: ['nothing_to_change', 'webhook_not_found', 'webhook_paused_by_operator'],
    handle: ({ actor, params, form, request_id }) => changeWebhook(db, { actor, request_id, ...params }, form),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/webhooks/{webhook_id}/',
    operationId: 'deleteWebhook',
    ...common,
    summary: 'Delete a webhook endpoint',
    description: 'Its log of deliveries is not shown any more. What is under way may still arrive.',
    params: { webhook_id },
    data: Type.Object({ removed_webhook_id: Type.Integer({ description: 'The endpoint that is gone.' }) }),
    refusals: ['webhook_not_found'],
    handle: ({ actor, params, request_id }) => deleteWebhook(db, { actor, request_id, ...params }),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/rotate-secret/',
    operationId: 'rotateWebhookSecret',
    ...common,
    summary: 'Rotate the secret',
    description:
      'Makes a new secret, shown this once. For 24 hours everything is signed with both, so that the receiver can change over at any moment of that time; a second rotation within it ends the oldest secret at once. Send an Idempotency-Key, so that repeating it after a lost answer gives the same secret instead.',
    params: { webhook_id },
    takesIdempotencyKey: true,
    data: refer(WebhookWithSecret),
    refusals: ['webhook_not_found', 'idempotency_key_used'],
    handle: ({ actor, params, request_id, retry }) => rotateWebhookSecret(db, { actor, request_id, ...params }, retry),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/test/',
    operationId: 'testWebhook',
    ...common,
    summary: 'Send a test event',
    description:
      'An event of the type `webhook.test`, without a number, is sent within a second or two, also to a paused endpoint, and once only. What came of it stands in the log of deliveries.',
    params: { webhook_id },
    data: Type.Object({ webhook_id: Type.Integer({ description: 'Where it is sent to.' }) }),
    refusals: ['webhook_not_found'],
    handle: ({ actor, params }) => requestWebhookTest(db, actor, params.webhook_id),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/resume/',
    operationId: 'resumeWebhook',
    ...common,
    summary: 'Resume a paused webhook endpoint',
    description: 'It goes on with the first event that has not arrived, at once.',
    params: { webhook_id },
    data: refer(Webhook),
    refusals: ['webhook_not_found', 'webhook_paused_by_operator'],
    handle: ({ actor, params, request_id }) => changeWebhook(db, { actor, request_id, ...params }, { active: true }),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/webhooks/{webhook_id}/replay/',
    operationId: 'replayEvents',
    ...common,
    summary: 'Replay events',
    description:
      'Sends everything from this event on, whether it has arrived before or not; each event has the `webhook-id` that it had. A number beyond `delivered_event_number` leaves out what lies between. A paused endpoint stays paused.',
    params: { webhook_id },
    form: { from_event_number: id('The first event to send.', 180) },
    data: refer(Webhook),
    refusals: ['webhook_not_found', 'events_expired'],
    handle: ({ actor, params, form, request_id }) => changeWebhook(db, { actor, request_id, ...params }, form),
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhooks/{webhook_id}/deliveries/',
    operationId: 'listWebhookDeliveries',
    ...common,
    summary: 'List deliveries',
    description: 'Every attempt of the last 30 days, newest first. Answers of the endpoint are not kept.',
    params: { webhook_id },
    query: pageFields,
    data: refer(WebhookDelivery),
    paged: true,
    refusals: ['webhook_not_found'],
    handle: ({ actor, params, query }) =>
      listWebhookDeliveries(db, { client_id: actor.client_id, ...params, ...query }),
  }),
]
