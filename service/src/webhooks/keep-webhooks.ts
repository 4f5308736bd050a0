/** Endpoints as their owner keeps them. */
import { makeSecret } from './signature.ts'
import {
  secretColumns,
  webhookColumns,
  webhookOf,
  webhooksPerClientMax,
  type Webhook,
  type WebhookWithSecret,
} from './webhook.ts'
import type { Actor } from '../access/actor.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, json, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../retries/find-earlier-answer.ts'

const one = { client_id: int8, webhook_id: int8 }
const by = { actor: text, request_id: text }

const createWebhookSql = statement(new URL('create-webhook.sql', import.meta.url), {
  parameters: { client_id: int8, url: text, event_types: textArray, secret: text, ...by, ...retryParameters },
  columns: secretColumns,
  refusedBy: ['webhook_limit_reached', retryRefusedBy],
})
const changeWebhookSql = statement(new URL('change-webhook.sql', import.meta.url), {
  parameters: {
    ...one,
    url: nullable(text),
    event_types: nullable(textArray),
    active: nullable(bool),
    from_event_number: nullable(int8),
    changes: json,
    ...by,
  },
  columns: webhookColumns,
})
const explainWebhookChangeSql = statement(new URL('explain-webhook-change.sql', import.meta.url), {
  parameters: one,
  columns: { webhook_id: int8, paused_reason: nullable(text), paused_text: text, first_event_number: int8 },
})
const rotateWebhookSecretSql = statement(new URL('rotate-webhook-secret.sql', import.meta.url), {
  parameters: { ...one, secret: text, ...by, ...retryParameters },
  columns: secretColumns,
  refusedBy: [retryRefusedBy],
})
const deleteWebhookSql = statement(new URL('delete-webhook.sql', import.meta.url), {
  parameters: { ...one, ...by },
  columns: { removed_webhook_id: int8 },
})
const listWebhooksSql = statement(new URL('list-webhooks.sql', import.meta.url), {
  parameters: { client_id: int8 },
  columns: webhookColumns,
})
const readWebhookSql = statement(new URL('read-webhook.sql', import.meta.url), {
  parameters: one,
  columns: webhookColumns,
})
const requestWebhookTestSql = statement(new URL('request-webhook-test.sql', import.meta.url), {
  parameters: one,
  columns: { webhook_id: int8 },
})

type SecretRow = Values<typeof secretColumns>

/** Who changes what of whose: the key, the request, the endpoint. */
interface Of {
  readonly actor: Actor
  readonly request_id: string
  readonly webhook_id: number
}

const named = ({ actor: { client_id, key_id }, request_id, webhook_id }: Of) => ({
  client_id,
  webhook_id,
  actor: `key ${key_id}`,
  request_id,
})

export async function createWebhook(
  db: Database,
  { actor, request_id }: Omit<Of, 'webhook_id'>,
  { url, event_types = [], retry }: { url: string; event_types?: string[] | undefined; retry: Retry },
): Promise<WebhookWithSecret> {
  const { client_id, key_id } = actor
  const by_ = { actor: `key ${key_id}`, request_id }
  const made = await settle(
    db,
    `webhooks of client ${client_id}`,
    async () =>
      (await db.row(createWebhookSql, { client_id, url, event_types, secret: makeSecret(), ...by_, ...retry })) ??
      (await earlierAnswer<SecretRow>(db, { client_id, operation: createWebhookSql.name }, retry)),
    async () => {
      if ((await listWebhooks(db, actor)).length >= webhooksPerClientMax)
        throw new Refusal('webhook_limit_reached', { limit: webhooksPerClientMax })
    },
  )
  return webhookOf(made)
}

export interface WebhookChanges {
  readonly url?: string | undefined
  readonly event_types?: string[] | undefined
  readonly active?: boolean | undefined
  readonly from_event_number?: number | undefined
}

/** Whatever is changed, the next event is tried at once, as if nothing had failed before. */
export async function changeWebhook(db: Database, of: Of, changes: WebhookChanges): Promise<Webhook> {
  const { url = null, event_types = null, active = null, from_event_number = null } = changes
  const changed = await settle(
    db,
    `webhook ${of.webhook_id}`,
    () =>
      db.row(changeWebhookSql, { ...named(of), url, event_types, active, from_event_number, changes: told(changes) }),
    () => explainChange(db, of, changes),
  )
  return webhookOf(changed)
}

/** Of the address only the origin: the rest may be as good as a password, and the log is sent to the client's other endpoints too. */
const told = ({ url, ...changes }: WebhookChanges): Record<string, unknown> => ({
  ...(url === undefined ? {} : { origin: new URL(url).origin }),
  ...changes,
})

async function explainChange(db: Database, of: Of, { active, from_event_number }: WebhookChanges): Promise<void> {
  const { webhook_id } = of
  const found = await db.row(explainWebhookChangeSql, { client_id: of.actor.client_id, webhook_id })
  if (found === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  const { paused_reason, paused_text, first_event_number } = found
  if (active === true && paused_reason === 'operator')
    throw new Refusal('webhook_paused_by_operator', { webhook_id, paused_text })
  if (from_event_number !== undefined && from_event_number < first_event_number)
    throw new Refusal('events_expired', { after: from_event_number - 1, first_event_number })
}

export async function rotateWebhookSecret(db: Database, of: Of, retry: Retry): Promise<WebhookWithSecret> {
  const { client_id } = of.actor
  const rotated = await settle(
    db,
    `webhook ${of.webhook_id}`,
    async () =>
      (await db.row(rotateWebhookSecretSql, { ...named(of), secret: makeSecret(), ...retry })) ??
      (await earlierAnswer<SecretRow>(db, { client_id, operation: rotateWebhookSecretSql.name }, retry)),
    async () => void (await readWebhook(db, of.actor, of.webhook_id)),
  )
  return webhookOf(rotated)
}

export async function deleteWebhook(db: Database, of: Of): Promise<{ removed_webhook_id: number }> {
  const deleted = await db.row(deleteWebhookSql, named(of))
  if (deleted === undefined) throw new Refusal('webhook_not_found', { webhook_id: of.webhook_id })
  return deleted
}

export async function listWebhooks(db: Database, { client_id }: Actor): Promise<Webhook[]> {
  return (await db.rows(listWebhooksSql, { client_id })).map(webhookOf)
}

export async function readWebhook(db: Database, { client_id }: Actor, webhook_id: number): Promise<Webhook> {
  const webhook = await db.row(readWebhookSql, { client_id, webhook_id })
  if (webhook === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  return webhookOf(webhook)
}

/** The worker sends it; what came of it stands in the log of deliveries. */
export async function requestWebhookTest(
  db: Database,
  { client_id }: Actor,
  webhook_id: number,
): Promise<{ webhook_id: number }> {
  const requested = await db.row(requestWebhookTestSql, { client_id, webhook_id })
  if (requested === undefined) throw new Refusal('webhook_not_found', { webhook_id })
  return requested
}
