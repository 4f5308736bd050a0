/** Sends the test events that clients have requested. */
import { randomUUID } from 'node:crypto'
import type { DeliveryOptions } from './deliver-to-endpoint.ts'
import { openEndpointConnection } from './endpoint-connection.ts'
import { webhookMessage } from '../due/read-pending-events.ts'
import { openSecrets, signatureHeaders } from '../signature.ts'
import { testEventType } from '../webhook.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int4, int8, nullable, text } from 'pg-statements/types.ts'

const takeWebhookTestsSql = statement(new URL('take-webhook-tests.sql', import.meta.url), {
  parameters: { tests_max: int8 },
  columns: { client_id: int8, webhook_id: int8, url: text, secret: text, previous_secret: nullable(text) },
})
const recordWebhookTestSql = shortStatement('record-webhook-test', {
  sql: `insert into webhook_deliveries (client_id, webhook_id, event_type, attempt, status, error, duration_ms)
    select w.client_id, w.webhook_id, :event_type, 1, :status, :error, :duration_ms
    from webhooks w
    where w.client_id = :client_id and w.webhook_id = :webhook_id`,
  parameters: {
    client_id: int8,
    webhook_id: int8,
    event_type: text,
    status: nullable(int4),
    error: nullable(text),
    duration_ms: int4,
  },
  columns: {},
})

/** Takes up to `tests_max` requests and returns their deliveries, which are in flight. */
export async function sendTestEvents(options: DeliveryOptions, tests_max: number): Promise<Promise<void>[]> {
  const tests = await options.db.rows(takeWebhookTestsSql, { tests_max })
  return tests.map(async (test) => {
    const { client_id, webhook_id, url } = test
    const now = Date.now()
    const body = webhookMessage(testEventType, now, { webhook_id })
    const headers = signatureHeaders(openSecrets(options.box, test), {
      id: `test_${webhook_id}_${randomUUID()}`,
      timestamp: Math.floor(now / 1000),
      body,
    })
    const connection = openEndpointConnection(url, options)
    const { status, error, durationMs: duration_ms } = await connection.post({ headers, body })
    connection.close()
    await options.db.rows(recordWebhookTestSql, {
      client_id,
      webhook_id,
      event_type: testEventType,
      status,
      error,
      duration_ms,
    })
  })
}
