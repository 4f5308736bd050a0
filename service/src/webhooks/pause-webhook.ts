/** All clients' endpoints, as the distributor sees and stops them. */
import { webhookColumns, type OperatorWebhook } from './webhook.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const listOperatorWebhooksSql = statement(new URL('list-operator-webhooks.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns: webhookColumns,
})
const pauseWebhookSql = statement(new URL('pause-webhook.sql', import.meta.url), {
  parameters: { webhook_id: int8, active: bool, text, actor: text, request_id: text },
  columns: webhookColumns,
})

export async function listOperatorWebhooks(
  db: Database,
  { limit = pageSizeDefault, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<OperatorWebhook>> {
  const rows = await db.rows(listOperatorWebhooksSql, {
    after_id: decodeCursor(cursor, []) ?? 0,
    page_size: limit + 1,
  })
  return cutPage(rows, limit, ({ webhook_id }) => webhook_id, [])
}

/** Pauses an endpoint, which its owner cannot undo; or lets it go on, whoever had paused it. */
export async function pauseWebhook(
  db: Database,
  wish: { webhook_id: number; active: boolean; text: string; actor: string; request_id: string },
): Promise<OperatorWebhook> {
  const changed = await db.row(pauseWebhookSql, wish)
  if (changed === undefined) throw new Refusal('webhook_not_found', { webhook_id: wish.webhook_id })
  return changed
}
