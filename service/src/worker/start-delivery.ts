import type { Logger } from 'pino'
import type { StateLabels } from '../orders/order.ts'
import { openDatabase } from 'pg-statements/database.ts'
import { startWebhookDelivery, type WebhookDelivery } from '../webhooks/deliver-webhooks.ts'
import { resolveByNameServer, resolveBySystem } from '../webhooks/public-address.ts'

export interface DeliverySettings {
  readonly databaseUrl: string
  readonly timeZone: string
  readonly statementTimeoutMs: number
  readonly webhooksAllowHttp: boolean
  readonly webhooksAllowPrivate: boolean
  readonly webhookLeaseMs: number
  readonly stateLabels: StateLabels
}

const connections = 4 // Of its own, so that no batch of a job holds up a delivery.

/** Delivers webhooks until it is stopped. */
export function startDelivery(settings: DeliverySettings, logger: Logger): WebhookDelivery {
  const db = openDatabase({ ...settings, url: settings.databaseUrl, poolSize: connections })
  const where = { allowHttp: settings.webhooksAllowHttp, allowPrivate: settings.webhooksAllowPrivate }
  const delivery = startWebhookDelivery({
    db,
    logger,
    where,
    resolve: where.allowPrivate ? resolveBySystem : resolveByNameServer,
    stateLabels: settings.stateLabels,
    leaseMs: settings.webhookLeaseMs,
  })
  return {
    stop: async () => {
      await delivery.stop()
      await db.close()
    },
  }
}
