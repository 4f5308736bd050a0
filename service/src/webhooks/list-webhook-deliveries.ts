import type { WebhookDelivery } from './webhook.ts'
import { idMax } from '../input/fields.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const listWebhookDeliveriesSql = statement(new URL('list-webhook-deliveries.sql', import.meta.url), {
  parameters: { client_id: nullable(int8), webhook_id: int8, before_id: int8, page_size: int8 },
  columns: {
    webhook_id: int8,
    delivery_id: nullable(int8),
    event_number: nullable(int8),
    event_type: nullable(text),
    attempt: nullable(int4),
    status: nullable(int4),
    error: nullable(text),
    duration_ms: nullable(int4),
    attempted_at: nullable(datetime),
  },
})

/** The log of an endpoint, newest first. For an operator `client_id` is null. */
export async function listWebhookDeliveries(
  db: Database,
  {
    client_id,
    webhook_id,
    limit = pageSizeDefault,
    cursor,
  }: { client_id: number | null; webhook_id: number; limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<WebhookDelivery>> {
  const rows = await db.rows(listWebhookDeliveriesSql, {
    client_id,
    webhook_id,
    before_id: decodeCursor(cursor, [webhook_id]) ?? idMax,
    page_size: limit + 1,
  })
  if (rows.length === 0) throw new Refusal('webhook_not_found', { webhook_id })
  const entries = rows.filter((row) => row.delivery_id !== null) // The schema leaves out what is not an entry's.
  return cutPage(
    entries.map((entry) => entry as WebhookDelivery),
    limit,
    ({ delivery_id }) => delivery_id,
    [webhook_id],
  )
}
