import type { Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const requestWebhookTestSql = statement(new URL('request-webhook-test.sql', import.meta.url), {
  parameters: { client_id: int8, webhook_id: int8 },
  columns: { webhook_id: int8 },
})

/** The worker sends the test event and writes the result to the delivery log. */
export async function requestWebhookTest(
  db: Database,
  { client_id }: Actor,
  webhook_id: number,
): Promise<{ webhook_id: number }> {
  const requested = await db.row(requestWebhookTestSql, { client_id, webhook_id })
  if (requested === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  return requested
}
