import { webhookColumns, webhookOf, type Webhook, type WebhookRequest } from '../webhook.ts'
import { actorName } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { bool, int8, json, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const changeWebhookSql = statement(new URL('change-webhook.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    webhook_id: int8,
    url: nullable(text),
    event_types: nullable(textArray),
    active: nullable(bool),
    from_event_number: nullable(int8),
    changes: json,
    actor: text,
    request_id: text,
  },
  columns: webhookColumns,
})
/** What may have prevented a change. */
const explainWebhookChangeSql = shortStatement('explain-webhook-change', {
  sql: `select w.webhook_id, w.paused_reason, w.paused_text, c.first_event_number
    from webhooks w
    join clients c on c.client_id = w.client_id
    where w.client_id = :client_id and w.webhook_id = :webhook_id`,
  parameters: { client_id: int8, webhook_id: int8 },
  columns: { webhook_id: int8, paused_reason: nullable(text), paused_text: text, first_event_number: int8 },
})

export interface WebhookChanges {
  readonly url?: string | undefined
  readonly event_types?: string[] | undefined
  readonly active?: boolean | undefined
  readonly from_event_number?: number | undefined
}

/** After any change the next event is sent at once, as if no delivery had failed before. */
export async function changeWebhook(db: Database, request: WebhookRequest, changes: WebhookChanges): Promise<Webhook> {
  const { actor, request_id, webhook_id } = request
  const { url = null, event_types = null, active = null, from_event_number = null } = changes
  const changed = await settle(
    db,
    { statement: changeWebhookSql, contended: `webhook ${webhook_id}` },
    () =>
      db.row(changeWebhookSql, {
        client_id: actor.client_id,
        webhook_id,
        url,
        event_types,
        active,
        from_event_number,
        changes: recordedChanges(changes),
        actor: actorName(actor),
        request_id,
      }),
    () => explainRefusedChange(db, request, changes),
  )
  return webhookOf(changed)
}

/** Only the origin of the URL: the rest may contain a token, and the client's other endpoints receive the event too. */
const recordedChanges = ({ url, ...changes }: WebhookChanges): Record<string, unknown> => ({
  ...(url === undefined ? {} : { origin: new URL(url).origin }),
  ...changes,
})

async function explainRefusedChange(
  db: Database,
  { actor: { client_id }, webhook_id }: WebhookRequest,
  { active, from_event_number }: WebhookChanges,
): Promise<void> {
  const found = await db.row(explainWebhookChangeSql, { client_id, webhook_id })
  if (found === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  const { paused_reason, paused_text, first_event_number } = found
  if (active === true && paused_reason === 'operator')
    throw new Refusal('webhook_paused_by_operator', { webhook_id, paused_text })
  if (from_event_number !== undefined && from_event_number < first_event_number)
    throw new Refusal('events_expired', { after: from_event_number - 1, first_event_number })
}
