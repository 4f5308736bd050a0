/**
 * Finds out who asks. Keys are kept in memory and all of them are read again every 1.5 seconds with one statement,
 * so that a revoked key stops working within 5 seconds on every process; a key not verified for 4 seconds is not trusted.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, keyIdOf } from './api-key.ts'
import type { Actor } from '../http/actor.ts'
import type { Database } from '../postgres/database.ts'
import { statement, type Values } from '../postgres/statement.ts'
import { bytes, instant, int8, int8Array, nullable, textArray } from '../postgres/types.ts'
import { Refusal } from '../refusals.ts'

const findKeysSql = statement(new URL('find-keys.sql', import.meta.url), {
  parameters: { key_ids: int8Array },
  columns: {
    key_id: int8,
    client_id: int8,
    contact_id: int8,
    digest: bytes,
    scopes: textArray,
    expires_at: nullable(instant),
  },
})

const refreshEveryMs = 1_500
const trustedForMs = 4_000
const forgottenAfterMs = 60_000 // A key that has not been used for a minute is not read again.
const keysMax = 100_000 // Some 40 MB. Beyond it the oldest entry makes room.

interface Entry {
  /** Undefined when there is no such key, or no longer. */
  key: (Values<(typeof findKeysSql)['columns']> & { actor: Actor }) | undefined
  verifiedAt: number
  usedAt: number
}

export interface Authenticator {
  authenticate: (authorization: string | undefined) => Actor | Promise<Actor>
  close: () => void
}

export function makeAuthenticator(db: Database): Authenticator {
  const entries = new Map<number, Entry>()
  const timer = setInterval(() => void refresh().catch(() => undefined), refreshEveryMs).unref()

  function authenticate(authorization: string | undefined): Actor | Promise<Actor> {
    const key = authorization ?? ''
    const keyId = keyIdOf(key)
    if (keyId === undefined) throw new Refusal('unauthorized', {})
    const entry = entries.get(keyId)
    const trusted = entry !== undefined && performance.now() - entry.verifiedAt < trustedForMs
    return trusted ? admit(entry, key) : verify([keyId]).then(() => admit(entries.get(keyId), key))
  }

  async function refresh(): Promise<void> {
    const usedSince = performance.now() - forgottenAfterMs
    for (const [keyId, { usedAt }] of entries) if (usedAt < usedSince) entries.delete(keyId)
    if (entries.size > 0) await verify([...entries.keys()])
  }

  /** Reads keys and notes what was found as of the moment of asking. */
  async function verify(keyIds: number[]): Promise<void> {
    const askedAt = performance.now()
    const found = new Map((await db.rows(findKeysSql, { key_ids: keyIds })).map((row) => [row.key_id, row]))
    for (const keyId of keyIds) {
      const row = found.get(keyId)
      const key = row && {
        ...row,
        actor: { client_id: row.client_id, contact_id: row.contact_id, key_id: keyId, scopes: row.scopes },
      }
      const entry = entries.get(keyId)
      if (entry && entry.verifiedAt > askedAt) continue // A later look at the key has been answered already.
      if (entry) Object.assign(entry, { key, verifiedAt: askedAt })
      else remember(keyId, { key, verifiedAt: askedAt, usedAt: askedAt })
    }
  }

  function remember(keyId: number, entry: Entry): void {
    const oldest = entries.size >= keysMax ? entries.keys().next() : undefined
    if (oldest?.done === false) entries.delete(oldest.value)
    entries.set(keyId, entry)
  }

  return { authenticate, close: () => clearInterval(timer) }
}

/** Digests are compared in constant time; every way to fail gives the same answer. */
function admit(entry: Entry | undefined, key: string): Actor {
  const known = entry?.key
  const fits = known !== undefined && timingSafeEqual(known.digest, digestOf(key))
  if (!entry || !fits || (known.expires_at !== null && known.expires_at <= Date.now()))
    throw new Refusal('unauthorized', {})
  entry.usedAt = performance.now()
  return known.actor
}
