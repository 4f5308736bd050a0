import type { WebhookDelivery } from '../webhook.ts'
import { idMax } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

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

/** The delivery log of an endpoint, newest first. For operators `client_id` is null. */
export async function listWebhookDeliveries(
  db: Database,
  { client_id, webhook_id }: { client_id: number | null; webhook_id: number },
  page: PageRequest,
): Promise<Page<WebhookDelivery>> {
  const rows = await db.rows(listWebhookDeliveriesSql, {
    client_id,
    webhook_id,
    before_id: idAfter(page) ?? idMax,
    page_size: page.limit + 1,
  })
  if (rows.length === 0) throw new Refusal('webhook_not_found', { webhook_id })
  // An endpoint without entries gives one row of nulls.
  const entries = rows.flatMap(
    ({ delivery_id, event_number, event_type, attempt, status, error, duration_ms, attempted_at }) =>
      delivery_id === null || event_type === null || attempt === null || duration_ms === null || attempted_at === null
        ? []
        : [{ delivery_id, event_number, event_type, attempt, status, error, duration_ms, attempted_at }],
  )
  return cutPage(entries, page, ({ delivery_id }) => delivery_id)
}
