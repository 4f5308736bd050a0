import { operatorWebhookOf, webhookColumns, type OperatorWebhook } from '../webhook.ts'
import { operatorActor, type Operator } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const pauseWebhookSql = statement(new URL('pause-webhook.sql', import.meta.url), {
  parameters: { webhook_id: int8, active: bool, text, actor: text, request_id: text },
  columns: webhookColumns,
})

interface OperatorWebhookRequest {
  readonly actor: Operator
  readonly request_id: string
  readonly webhook_id: number
}

/** An operator pauses an endpoint. Its owner cannot resume it. */
export const pauseWebhook = (db: Database, request: OperatorWebhookRequest, reason: string): Promise<OperatorWebhook> =>
  setActive(db, request, { active: false, text: reason })

/** An operator resumes an endpoint, whatever the reason for the pause. */
export const resumeWebhook = (db: Database, request: OperatorWebhookRequest): Promise<OperatorWebhook> =>
  setActive(db, request, { active: true, text: '' })

async function setActive(
  db: Database,
  { actor, request_id, webhook_id }: OperatorWebhookRequest,
  { active, text: paused_text }: { active: boolean; text: string },
): Promise<OperatorWebhook> {
  const changed = await db.row(pauseWebhookSql, {
    webhook_id,
    active,
    text: paused_text,
    actor: operatorActor(actor),
    request_id,
  })
  if (changed === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  return operatorWebhookOf(changed, actor)
}
