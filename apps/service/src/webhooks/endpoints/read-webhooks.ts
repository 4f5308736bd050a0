import { operatorWebhookOf, webhookColumns, webhookOf, type OperatorWebhook, type Webhook } from '../webhook.ts'
import type { Actor, Operator } from '../../identity/actor.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const listWebhooksSql = statement(new URL('list-webhooks.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: webhookColumns,
})
const readWebhookSql = statement(new URL('read-webhook.sql', import.meta.url), {
  parameters: { client_id: int8, webhook_id: int8 },
  columns: webhookColumns,
})
const listOperatorWebhooksSql = statement(new URL('list-operator-webhooks.sql', import.meta.url), {
  parameters: { client_id: nullable(int8), paused: nullable(bool), after_id: int8, page_size: int8 },
  columns: webhookColumns,
})

export async function listWebhooks(db: Database, { client_id }: Actor): Promise<Webhook[]> {
  return (await db.rows(listWebhooksSql, { client_id })).map(webhookOf)
}

export async function readWebhook(db: Database, { client_id }: Actor, webhook_id: number): Promise<Webhook> {
  const webhook = await db.row(readWebhookSql, { client_id, webhook_id })
  if (webhook === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  return webhookOf(webhook)
}

export interface WebhookFilters {
  readonly client_id: number | null
  readonly paused: boolean | null
}

/** The endpoints of all clients or of one, for operators. */
export async function listOperatorWebhooks(
  db: Database,
  operator: Operator,
  { client_id, paused }: WebhookFilters,
  page: PageRequest,
): Promise<Page<OperatorWebhook>> {
  const rows = await db.rows(listOperatorWebhooksSql, {
    client_id,
    paused,
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
  })
  return cutPage(
    rows.map((row) => operatorWebhookOf(row, operator)),
    page,
    ({ webhook_id }) => webhook_id,
  )
}
