import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listOperatorWebhooks, pauseWebhook } from './pause-webhook.ts'
import { OperatorWebhook, WebhookDelivery } from './webhook.ts'
import { operatorActor } from '../access/actor.ts'
import { id, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const webhook_id = id('The endpoint.', 41)

export const webhookOperatorRoutes = (db: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/webhooks/',
    operationId: 'listClientWebhooks',
    tag: 'Operator: events',
    permission: 'view',
    summary: "List all clients' webhook endpoints",
    description: 'In the order in which they were made, with how each of them is. Secrets are not shown.',
    query: pageFields,
    data: refer(OperatorWebhook),
    paged: true,
    refusals: [],
    handle: ({ query }) => listOperatorWebhooks(db, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/webhooks/{webhook_id}/deliveries/',
    operationId: 'listClientWebhookDeliveries',
    tag: 'Operator: events',
    permission: 'view',
    summary: "List a webhook endpoint's deliveries",
    description: 'Every attempt of the last 30 days, newest first.',
    params: { webhook_id },
    query: pageFields,
    data: refer(WebhookDelivery),
    paged: true,
    refusals: ['webhook_not_found'],
    handle: ({ params, query }) => listWebhookDeliveries(db, { client_id: null, ...params, ...query }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/webhooks/{webhook_id}/pause/',
    operationId: 'pauseClientWebhook',
    tag: 'Operator: events',
    permission: 'administer',
    summary: "Pause a client's webhook endpoint",
    description: 'Nothing is sent there until an operator resumes it; nothing is lost meanwhile.',
    params: { webhook_id },
    form: { text: text({ description: 'Why, for its owner.', example: 'It answers every event with a login page.' }) },
    data: refer(OperatorWebhook),
    refusals: ['webhook_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      pauseWebhook(db, { ...params, active: false, text: form.text, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/webhooks/{webhook_id}/resume/',
    operationId: 'resumeClientWebhook',
    tag: 'Operator: events',
    permission: 'administer',
    summary: "Resume a client's webhook endpoint",
    description: 'Whatever it was paused for. It goes on with the first event that has not arrived, at once.',
    params: { webhook_id },
    data: refer(OperatorWebhook),
    refusals: ['webhook_not_found'],
    handle: ({ actor, params, request_id }) =>
      pauseWebhook(db, { ...params, active: true, text: '', actor: operatorActor(actor), request_id }),
  }),
]
