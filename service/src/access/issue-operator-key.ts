import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { digestOf, makeApiKey } from './api-key.ts'
import { lastUse } from './issue-client-key.ts'
import type { Role } from './actor.ts'
import { cutPage, decodeCursor, type Page, pageSizeDefault } from '../paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bytes, datetime, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const at = (description: string): Type.TUnion<[Type.TString, Type.TNull]> =>
  Type.Union([Type.String(), Type.Null()], { description })

export const OperatorKey = Type.Object(
  {
    key_id: Type.Integer({ description: 'Names the key in paths and in the log.' }),
    operator_name: Type.String({ description: 'Whose key it is; stands in the log of everything done with it.' }),
    role: Type.String({ description: '`viewer`, `decider`, `cataloguer` or `admin`.' }),
    created_at: Type.String({ description: 'When it was issued, `YYYY-MM-DD HH:MM:SS`.' }),
    expires_at: at('When it ceases to work by itself; null for never.'),
    revoked_at: at('When it was revoked; null while it works.'),
    last_used_at: at(lastUse),
  },
  {
    $id: 'OperatorKey',
    additionalProperties: false,
    examples: [
      {
        key_id: 3,
        operator_name: 'Anna Berg',
        role: 'decider',
        created_at: '2026-11-15 09:30:00',
        expires_at: null,
        revoked_at: null,
        last_used_at: '2026-11-16 07:02:11',
      },
    ],
  },
)
export type OperatorKey = Static<typeof OperatorKey>

const columns = {
  key_id: int8,
  operator_name: text,
  role: text,
  created_at: datetime,
  expires_at: nullable(datetime),
  revoked_at: nullable(datetime),
  last_used_at: nullable(datetime),
}

const drawSql = statement(new URL('draw-operator-key-id.sql', import.meta.url), {
  parameters: {},
  columns: { key_id: int8 },
})
const issueSql = statement(new URL('issue-operator-key.sql', import.meta.url), {
  parameters: {
    key_id: int8,
    operator_name: text,
    role: text,
    digest: bytes,
    expires_at: nullable(datetime),
    actor: text,
  },
  columns: { key_id: int8 },
})
const revokeSql = statement(new URL('revoke-operator-key.sql', import.meta.url), {
  parameters: { key_id: int8, actor: text },
  columns,
})
const listSql = statement(new URL('list-operator-keys.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8 },
  columns,
})

interface KeyInput {
  readonly operator_name: string
  readonly role: Role
  readonly expires_at?: string | undefined
  /** Who issues it. */
  readonly actor: string
}

/** Issues a key for an operator. The key is returned this once; only its digest is stored. */
export async function issueOperatorKey(db: Database, wish: KeyInput): Promise<{ key_id: number; key: string }> {
  const drawn = await db.row(drawSql, {})
  assert(drawn)
  const key = makeApiKey(drawn.key_id, 'pso')
  const { expires_at = null, ...whose } = wish
  await db.row(issueSql, { ...whose, key_id: drawn.key_id, digest: digestOf(key), expires_at })
  return { key_id: drawn.key_id, key }
}

/** Every process refuses the key within 5 seconds. Revoking it again changes nothing. */
export async function revokeOperatorKey(db: Database, key_id: number, actor: string): Promise<OperatorKey> {
  const revoked = await db.row(revokeSql, { key_id, actor })
  if (revoked === undefined) throw new Refusal('key_not_found', { key_id })
  return revoked
}

export async function listOperatorKeys(
  db: Database,
  { limit = pageSizeDefault, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Page<OperatorKey>> {
  const rows = await db.rows(listSql, { after_id: decodeCursor(cursor, []) ?? 0, page_size: limit + 1 })
  return cutPage(rows, limit, ({ key_id }) => key_id, [])
}
