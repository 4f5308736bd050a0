import { readWebhook } from './read-webhooks.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { makeSecret } from '../signature.ts'
import {
  webhookWithSecretColumns,
  webhookWithSecretOf,
  type WebhookRequest,
  type WebhookWithSecret,
  type WebhookWithSecretRow,
} from '../webhook.ts'
import { actorName } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'

const rotateWebhookSecretSql = statement(new URL('rotate-webhook-secret.sql', import.meta.url), {
  parameters: { client_id: int8, webhook_id: int8, secret: text, actor: text, request_id: text, ...retryParameters },
  columns: webhookWithSecretColumns,
  refusedBy: [retryRefusedBy],
})

export async function rotateWebhookSecret(
  db: Database,
  box: SecretBox,
  { actor, request_id, webhook_id }: WebhookRequest,
  retry: Retry,
): Promise<WebhookWithSecret> {
  const { client_id } = actor
  const { idempotency_key, request_digest } = retry
  const rotate = (): Promise<WebhookWithSecretRow | undefined> =>
    db.row(rotateWebhookSecretSql, {
      client_id,
      webhook_id,
      secret: box.seal(makeSecret(), client_id),
      actor: actorName(actor),
      request_id,
      idempotency_key,
      request_digest,
    })
  const rotated = await settle(
    db,
    { statement: rotateWebhookSecretSql, contended: `webhook ${webhook_id}` },
    async () =>
      (await rotate()) ??
      (await earlierAnswer<WebhookWithSecretRow>(db, { client_id, operation: rotateWebhookSecretSql.name }, retry)),
    async () => void (await readWebhook(db, actor, webhook_id)),
  )
  return webhookWithSecretOf(rotated, box)
}
