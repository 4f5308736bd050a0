/** Clients' keys as the distributor keeps them: issued to a contact, shown once, revoked for good. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { digestOf, makeApiKey } from './api-key.ts'
import { readClient } from '../clients/read-client.ts'
import { scopes as allScopes, type Scope } from './actor.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bytes, datetime, int4, int8, json, nullable, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

/** What the keys of clients and of operators tell of their last use. */
export const lastUse =
  'When it was last used; a use shows up here within a minute, if not configured otherwise. Null for never.'

export const ClientKey = Type.Object(
  {
    client_id: Type.Integer({ description: 'Whose key it is.' }),
    key_id: Type.Integer({ description: 'Names the key in paths and in the log.' }),
    contact_id: Type.Integer({ description: 'The contact it was issued to.' }),
    scopes: Type.Array(Type.String(), { description: 'What it may do.' }),
    rate_per_second: Type.Integer({ description: 'How many requests a second it may make.' }),
    rate_burst: Type.Integer({ description: 'How many requests it may make at once after a pause.' }),
    created_at: Type.String({ description: 'When it was issued, `YYYY-MM-DD HH:MM:SS`.' }),
    expires_at: Type.Union([Type.String(), Type.Null()], { description: 'When it ceases to work; null for never.' }),
    revoked_at: Type.Union([Type.String(), Type.Null()], { description: 'When it was revoked; null while it works.' }),
    last_used_at: Type.Union([Type.String(), Type.Null()], { description: lastUse }),
  },
  {
    $id: 'ClientKey',
    additionalProperties: false,
    examples: [
      {
        client_id: 12,
        key_id: 17,
        contact_id: 31,
        scopes: ['carts:read', 'carts:write', 'orders:read', 'orders:write'],
        rate_per_second: 50,
        rate_burst: 100,
        created_at: '2026-11-15 09:30:00',
        expires_at: null,
        revoked_at: null,
        last_used_at: '2026-11-16 07:02:11',
      },
    ],
  },
)
export type ClientKey = Static<typeof ClientKey>

const columns = {
  client_id: int8,
  key_id: int8,
  contact_id: int8,
  scopes: textArray,
  rate_per_second: int4,
  rate_burst: int4,
  created_at: datetime,
  expires_at: nullable(datetime),
  revoked_at: nullable(datetime),
  last_used_at: nullable(datetime),
}

const drawKeyIdSql = statement(new URL('draw-client-key-id.sql', import.meta.url), {
  parameters: {},
  columns: { key_id: int8 },
})
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
    actor: text,
    request_id: text,
  },
  columns: { key_id: int8 },
})
const changeClientKeySql = statement(new URL('change-client-key.sql', import.meta.url), {
  parameters: {
    key_id: int8,
    rate_per_second: nullable(int4),
    rate_burst: nullable(int4),
    changes: json,
    actor: text,
    request_id: text,
  },
  columns,
})
const revokeClientKeySql = statement(new URL('revoke-client-key.sql', import.meta.url), {
  parameters: { key_id: int8, actor: text, request_id: text },
  columns,
})
const listClientKeysSql = statement(new URL('list-client-keys.sql', import.meta.url), {
  parameters: { client_id: int8, after_id: int8, page_size: int8 },
  columns,
})

/** Plenty for a shop's program, and far from what one process serves. */
const standardRate = { rate_per_second: 50, rate_burst: 100 }

interface Rate {
  readonly rate_per_second?: number | undefined
  readonly rate_burst?: number | undefined
}

interface KeyInput extends Rate {
  readonly client_id: number
  readonly contact_id: number
  readonly scopes?: readonly Scope[] | undefined
  readonly expires_at?: string | undefined
  readonly actor: string
  readonly request_id: string
}

/** The key is returned this once; only its digest is stored. */
export async function issueClientKey(db: Database, wish: KeyInput): Promise<{ key_id: number; key: string }> {
  const { client_id, contact_id, scopes = allScopes, expires_at = null, actor, request_id } = wish
  const drawn = await db.row(drawKeyIdSql, {})
  assert(drawn)
  const { key_id } = drawn
  const key = makeApiKey(key_id)
  const issued = await db.row(issueClientKeySql, {
    client_id,
    contact_id,
    key_id,
    digest: digestOf(key),
    scopes: [...scopes],
    rate_per_second: wish.rate_per_second ?? standardRate.rate_per_second,
    rate_burst: wish.rate_burst ?? standardRate.rate_burst,
    expires_at,
    actor,
    request_id,
  })
  if (issued === undefined) {
    await readClient(db, client_id) // Refuses if there is none.
    throw new Refusal('contact_not_found', { client_id, contact_id })
  }
  return { key_id, key }
}

export async function changeClientKey(
  db: Database,
  { key_id, changes, ...by }: { key_id: number; changes: Rate; actor: string; request_id: string },
): Promise<ClientKey> {
  const { rate_per_second = null, rate_burst = null } = changes
  const changed = await db.row(changeClientKeySql, {
    key_id,
    rate_per_second,
    rate_burst,
    changes: { ...changes },
    ...by,
  })
  if (changed === undefined) throw new Refusal('key_not_found', { key_id })
  return changed
}

/** Every process refuses the key within 5 seconds. Revoking it again changes nothing. */
export async function revokeClientKey(
  db: Database,
  { key_id, actor, request_id }: { key_id: number; actor: string; request_id: string },
): Promise<ClientKey> {
  const revoke = async (): Promise<ClientKey | undefined> => db.row(revokeClientKeySql, { key_id, actor, request_id })
  const revoked = (await revoke()) ?? (await revoke()) // Whoever waited for another's revocation sees it the second time.
  if (revoked === undefined) throw new Refusal('key_not_found', { key_id })
  return revoked
}

export async function listClientKeys(
  db: Database,
  {
    client_id,
    limit = pageSizeDefault,
    cursor,
  }: { client_id: number; limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<ClientKey>> {
  const filters = [client_id]
  const rows = await db.rows(listClientKeysSql, {
    client_id,
    after_id: decodeCursor(cursor, filters) ?? 0,
    page_size: limit + 1,
  })
  return cutPage(rows, limit, ({ key_id }) => key_id, filters)
}
