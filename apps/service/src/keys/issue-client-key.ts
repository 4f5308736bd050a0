import { scopes as allScopes, type Scope } from '../identity/actor.ts'
import type { KeyRate } from './client-key.ts'
import { drawKey } from './draw-key.ts'
import { expiryWithin, refuseIssuedKey, type IssuedKey } from './issued-key.ts'
import { clientKeys } from '../identity/key-kinds.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { bool, bytes, datetime, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import { noRetry, type Retry } from '../retries/retry.ts'

const issueClientKeySql = statement(new URL('issue-client-key.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contact_id: int8,
    key_id: int8,
    digest: bytes,
    scopes: textArray,
    rate_per_second: int4,
    rate_burst: int4,
    expires_at: nullable(datetime),
    days_max: nullable(int4),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { key_id: int8 },
  refusedBy: [operatorRetryRefusedBy],
})

/** Explains why a contact was not found: with or without its client. */
const explainContactSql = shortStatement('explain-contact', {
  sql: `select exists (select 1 from clients where client_id = :client_id) as client_exists,
      exists (select 1 from contacts where client_id = :client_id and contact_id = :contact_id) as contact_exists`,
  parameters: { client_id: int8, contact_id: int8 },
  columns: { client_exists: bool, contact_exists: bool },
})

/** Plenty for a shop's software, and far below what one process serves. */
const defaultRate = { rate_per_second: 50, rate_burst: 100 }

interface ClientKeyInput extends KeyRate {
  readonly client_id: number
  readonly contact_id: number
  readonly scopes?: readonly Scope[] | undefined
  readonly expires_at?: string | undefined
  /** 0 for any age. */
  readonly keyDaysMax?: number
  readonly actor: string
  readonly request_id: string
  readonly retry?: Retry | undefined
}

/** Issues a key to a contact of a client. */
export async function issueClientKey(db: Database, input: ClientKeyInput): Promise<IssuedKey> {
  const { client_id, contact_id, scopes = allScopes, retry = noRetry } = input
  const { key_id, key, digest } = await drawKey(db, clientKeys)
  const values = {
    client_id,
    contact_id,
    key_id,
    digest,
    scopes: [...scopes],
    rate_per_second: input.rate_per_second ?? defaultRate.rate_per_second,
    rate_burst: input.rate_burst ?? defaultRate.rate_burst,
    ...expiryWithin(input),
    actor: input.actor,
    request_id: input.request_id,
    ...retry,
  }
  await settle(
    db,
    { statement: issueClientKeySql, contended: `contact ${contact_id}` },
    () => db.row(issueClientKeySql, values),
    async () => {
      await refuseIssuedKey(db, { actor: input.actor, operation: issueClientKeySql.name }, retry)
      await explain(db, { client_id, contact_id })
    },
  )
  return { key_id, key }
}

async function explain(db: Database, ids: { client_id: number; contact_id: number }): Promise<void> {
  const found = await db.row(explainContactSql, ids)
  if (found?.client_exists !== true) throw new Refusal('client_not_found', { client_id: ids.client_id })
  if (!found.contact_exists) throw new Refusal('contact_not_found', ids)
}
