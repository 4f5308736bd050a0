import type { WebhookRequest } from '../webhook.ts'
import { actorName } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const deleteWebhookSql = statement(new URL('delete-webhook.sql', import.meta.url), {
  parameters: { client_id: int8, webhook_id: int8, actor: text, request_id: text },
  columns: { removed_webhook_id: int8 },
})

export async function deleteWebhook(
  db: Database,
  { actor, request_id, webhook_id }: WebhookRequest,
): Promise<{ removed_webhook_id: number }> {
  const { client_id } = actor
  const deleted = await db.row(deleteWebhookSql, { client_id, webhook_id, actor: actorName(actor), request_id })
  if (deleted === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  return deleted
}
