import type { Feature } from '../http/routing/route.ts'
import { webhookOperatorRoutes } from './endpoints/operator-routes.ts'
import { webhookRoutes } from './endpoints/routes.ts'
import { makeSecretBox } from './secrets/secret-box.ts'
import { OperatorWebhook, Webhook, WebhookDelivery, WebhookWithSecret } from './webhook.ts'

interface Settings {
  readonly webhooksAllowHttp: boolean
  readonly webhooksAllowPrivate: boolean
  readonly webhookSecretKeys: Parameters<typeof makeSecretBox>[0]
}

export const webhooks: Feature<{ config: Settings }> = {
  schemas: [Webhook, WebhookWithSecret, OperatorWebhook, WebhookDelivery],
  clientRoutes: ({ config: { webhooksAllowHttp, webhooksAllowPrivate, webhookSecretKeys } }) =>
    webhookRoutes(
      { allowHttp: webhooksAllowHttp, allowPrivate: webhooksAllowPrivate },
      makeSecretBox(webhookSecretKeys),
    ),
  operatorRoutes: () => webhookOperatorRoutes,
}
