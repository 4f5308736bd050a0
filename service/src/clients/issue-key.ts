import assert from 'node:assert/strict'
import { digestOf, makeApiKey } from './api-key.ts'
import { scopes as allScopes, type Scope } from '../http/actor.ts'
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import { bytes, datetime, int8, nullable, textArray } from '../postgres/types.ts'

const drawKeyIdSql = statement(new URL('draw-key-id.sql', import.meta.url), {
  parameters: {},
  columns: { key_id: int8 },
})

const issueKeySql = statement(new URL('issue-key.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contact_id: int8,
    key_id: int8,
    digest: bytes,
    scopes: textArray,
    expires_at: nullable(datetime),
  },
  columns: { key_id: int8 },
})

const revokeKeySql = statement(new URL('revoke-key.sql', import.meta.url), {
  parameters: { key_id: int8 },
  columns: { key_id: int8 },
})

interface KeyWish {
  readonly client_id: number
  readonly contact_id: number
  readonly scopes?: readonly Scope[]
  readonly expires_at?: string
}

/** Issues a key for a contact of a client. The key is returned this once; only its digest is stored. */
export async function issueKey(db: Database, wish: KeyWish): Promise<{ key_id: number; key: string }> {
  const key_id = await drawKeyId(db)
  const key = makeApiKey(key_id)
  const { client_id, contact_id, scopes = allScopes, expires_at = null } = wish
  const issued = await db.row(issueKeySql, {
    client_id,
    contact_id,
    key_id,
    digest: digestOf(key),
    scopes: [...scopes],
    expires_at,
  })
  assert(issued, `Client ${client_id} has no contact ${contact_id}.`)
  return { key_id: issued.key_id, key }
}

export async function drawKeyId(db: Database): Promise<number> {
  const drawn = await db.row(drawKeyIdSql, {})
  assert(drawn)
  return drawn.key_id
}

/** Every process refuses the key within 5 seconds. */
export async function revokeKey(db: Database, key_id: number): Promise<void> {
  assert(await db.row(revokeKeySql, { key_id }), `There is no key ${key_id}.`)
}
