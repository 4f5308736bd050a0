import type { Logger } from 'pino'
import type { StateLabels } from '../orders/order.ts'
import { openDatabase } from 'pg-statements/database.ts'
import { startWebhookDelivery, type RunningWebhookDelivery } from '../webhooks/deliver-webhooks.ts'
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

const connections = 4 // Separate from those of the jobs, so that a batch of a job does not delay deliveries.

export function startDelivery(settings: DeliverySettings, logger: Logger): RunningWebhookDelivery {
  const db = openDatabase({ ...settings, url: settings.databaseUrl, poolSize: connections })
  const policy = { allowHttp: settings.webhooksAllowHttp, allowPrivate: settings.webhooksAllowPrivate }
  const delivery = startWebhookDelivery({
    db,
    logger,
    policy,
    resolve: policy.allowPrivate ? resolveBySystem : resolveByNameServer,
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
