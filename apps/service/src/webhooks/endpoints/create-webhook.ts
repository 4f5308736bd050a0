import { listWebhooks } from './read-webhooks.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { makeSecret } from '../signature.ts'
import {
  webhooksPerClientMax,
  webhookWithSecretColumns,
  webhookWithSecretOf,
  type WebhookWithSecret,
  type WebhookWithSecretRow,
} from '../webhook.ts'
import { actorName, type Actor } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'

const createWebhookSql = statement(new URL('create-webhook.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    url: text,
    event_types: textArray,
    secret: text,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: webhookWithSecretColumns,
  refusedBy: ['webhook_limit_reached', retryRefusedBy],
})

export async function createWebhook(
  db: Database,
  box: SecretBox,
  { actor, request_id, retry }: { actor: Actor; request_id: string; retry: Retry },
  { url, event_types = [] }: { url: string; event_types?: string[] | undefined },
): Promise<WebhookWithSecret> {
  const { client_id } = actor
  const { idempotency_key, request_digest } = retry
  const create = (): Promise<WebhookWithSecretRow | undefined> =>
    db.row(createWebhookSql, {
      client_id,
      url,
      event_types,
      secret: box.seal(makeSecret(), client_id),
      actor: actorName(actor),
      request_id,
      idempotency_key,
      request_digest,
    })
  const created = await settle(
    db,
    { statement: createWebhookSql, contended: `webhooks of client ${client_id}` },
    async () =>
      (await create()) ??
      (await earlierAnswer<WebhookWithSecretRow>(db, { client_id, operation: createWebhookSql.name }, retry)),
    async () => {
      if ((await listWebhooks(db, actor)).length >= webhooksPerClientMax)
        throw new Refusal('webhook_limit_reached', { limit: webhooksPerClientMax })
    },
  )
  return webhookWithSecretOf(created, box)
}
