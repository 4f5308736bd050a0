/** Sends the test events that were asked for. */
import { randomUUID } from 'node:crypto'
import type { Delivering } from './deliver-to-endpoint.ts'
import { messageOf } from './read-pending-events.ts'
import { openLine } from './endpoint-connection.ts'
import { signatureHeaders } from './signature.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, nullable, text } from 'pg-statements/types.ts'

const takeWebhookTestsSql = statement(new URL('take-webhook-tests.sql', import.meta.url), {
  parameters: { tests_max: int8 },
  columns: { client_id: int8, webhook_id: int8, url: text, secret: text, previous_secret: nullable(text) },
})
const recordWebhookTestSql = statement(new URL('record-webhook-test.sql', import.meta.url), {
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

export const testEventType = 'webhook.test'

/** Takes what was asked for, up to so many; each is sent on its own, and none of them is waited for. */
export async function sendTestEvents(parts: Delivering, tests_max: number): Promise<Promise<void>[]> {
  const tests = await parts.db.rows(takeWebhookTestsSql, { tests_max })
  return tests.map(async ({ client_id, webhook_id, url, secret, previous_secret }) => {
    const line = openLine(url, parts)
    const now = Date.now()
    const body = messageOf(testEventType, now, { webhook_id })
    const headers = signatureHeaders([secret, ...(previous_secret === null ? [] : [previous_secret])], {
      id: `test_${webhook_id}_${randomUUID()}`,
      timestamp: Math.floor(now / 1000),
      body,
    })
    const { status, error, durationMs: duration_ms } = await line.post({ headers, body })
    line.close()
    await parts.db.rows(recordWebhookTestSql, {
      client_id,
      webhook_id,
      event_type: testEventType,
      status,
      error,
      duration_ms,
    })
  })
}
