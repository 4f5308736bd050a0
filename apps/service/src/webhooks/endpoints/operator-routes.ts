import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { pauseWebhook, resumeWebhook } from './pause-webhook.ts'
import { listOperatorWebhooks } from './read-webhooks.ts'
import { OperatorWebhook, WebhookDelivery } from '../webhook.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { flag, id, optional, text } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const webhook_id = id('The id of the endpoint.', exampleIds.webhook_id)

export const webhookOperatorRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/webhooks/',
    operationId: 'listClientWebhooks',
    tag: 'Events',
    permission: 'view',
    summary: "List all clients' webhook endpoints",
    description: 'Oldest first, with the state of each. Secrets are not shown, and only admins see whole URLs.',
    query: {
      client_id: optional(id('Only endpoints of this client.', exampleIds.client_id)),
      paused: optional(flag({ description: 'Only endpoints that are paused, or that are not.', example: true })),
      ...pageFields,
    },
    data: refer(OperatorWebhook),
    paged: true,
    refusals: [],
    handle: ({ db, actor, query, page }) =>
      listOperatorWebhooks(db, actor, { client_id: query.client_id ?? null, paused: query.paused ?? null }, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/webhooks/{webhook_id}/deliveries/',
    operationId: 'listClientWebhookDeliveries',
    tag: 'Events',
    permission: 'view',
    summary: "List a webhook endpoint's deliveries",
    description: 'Every attempt of the last 30 days, newest first.',
    params: { webhook_id },
    query: pageFields,
    data: refer(WebhookDelivery),
    paged: true,
    refusals: ['webhook_not_found'],
    handle: ({ db, params, page }) => listWebhookDeliveries(db, { client_id: null, ...params }, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/webhooks/{webhook_id}/pause/',
    operationId: 'pauseClientWebhook',
    tag: 'Events',
    permission: 'administer',
    trace: 'event webhook.paused',
    summary: "Pause a client's webhook endpoint",
    description: 'Sends nothing until an operator resumes it. No events are lost in the meantime.',
    params: { webhook_id },
    form: {
      text: text({
        description: 'The reason, shown to the owner.',
        example: 'It answers every event with a login page.',
      }),
    },
    data: refer(OperatorWebhook),
    refusals: ['webhook_not_found'],
    handle: ({ db, actor, params, form, request_id }) => pauseWebhook(db, { actor, request_id, ...params }, form.text),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/webhooks/{webhook_id}/resume/',
    operationId: 'resumeClientWebhook',
    tag: 'Events',
    permission: 'administer',
    trace: 'event webhook.changed',
    summary: "Resume a client's webhook endpoint",
    description:
      'Resumes it whatever the reason for the pause, and continues at once with the first event that was not delivered.',
    params: { webhook_id },
    data: refer(OperatorWebhook),
    refusals: ['webhook_not_found'],
    handle: ({ db, actor, params, request_id }) => resumeWebhook(db, { actor, request_id, ...params }),
  }),
]
