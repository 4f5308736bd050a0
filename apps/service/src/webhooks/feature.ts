import type { Feature } from '../http/routing/route.ts'
import { webhookOperatorRoutes } from './endpoints/operator-routes.ts'
import { webhookRoutes } from './endpoints/routes.ts'
import { FeedEndpoint, FeedEndpointWithSecret } from './feed-endpoints/feed-endpoint.ts'
import { FeedDelivery } from './feed-endpoints/list-feed-deliveries.ts'
import { feedEndpointRoutes } from './feed-endpoints/operator-routes.ts'
import type { AddressPolicy } from './public-address.ts'
import { makeSecretBox } from './secrets/secret-box.ts'
import { OperatorWebhook, Webhook, WebhookDelivery, WebhookWithSecret } from './webhook.ts'

interface Settings {
  readonly webhooksAllowHttp: boolean
  readonly webhooksAllowPrivate: boolean
  readonly webhookSecretKeys: Parameters<typeof makeSecretBox>[0]
}

const policyOf = ({ webhooksAllowHttp: allowHttp, webhooksAllowPrivate: allowPrivate }: Settings): AddressPolicy => ({
  allowHttp,
  allowPrivate,
})

export const webhooks: Feature<{ config: Settings }> = {
  schemas: [
    Webhook,
    WebhookWithSecret,
    OperatorWebhook,
    WebhookDelivery,
    FeedEndpoint,
    FeedEndpointWithSecret,
    FeedDelivery,
  ],
  clientRoutes: ({ config }) => webhookRoutes(policyOf(config), makeSecretBox(config.webhookSecretKeys)),
  operatorRoutes: ({ config }) => [
    ...webhookOperatorRoutes,
    ...feedEndpointRoutes(policyOf(config), makeSecretBox(config.webhookSecretKeys)),
  ],
}
