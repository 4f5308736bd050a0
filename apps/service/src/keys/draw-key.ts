import assert from 'node:assert/strict'
import { digestOf, makeApiKey } from '../identity/authenticate.ts'
import type { CheckedColumns, KeyKind } from '../identity/key-kinds.ts'
import type { Database } from 'pg-statements/database.ts'

/** A new key that is not stored yet. Its id is drawn from the database first, because the id is part of the key. */
export async function drawKey(
  db: Database,
  { drawId, prefix }: Pick<KeyKind<CheckedColumns, unknown>, 'drawId' | 'prefix'>,
): Promise<{ key_id: number; key: string; digest: Buffer }> {
  const drawn = await db.row(drawId, {})
  assert(drawn)
  const key = makeApiKey(drawn.key_id, prefix)
  return { key_id: drawn.key_id, key, digest: digestOf(key) }
}
