/**
 * Finds out who asks. Keys are kept in memory; every 1.5 seconds one statement asks which were changed lately, so that a revoked key
 * stops working within 5 seconds on every process. When that has not been answered for 4 seconds, no key is trusted unread.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, keyIdOf } from './api-key.ts'
import type { Actor } from '../http/actor.ts'
import type { Database } from '../postgres/database.ts'
import { statement, type Values } from '../postgres/statement.ts'
import { bool, bytes, instant, int8, nullable, textArray } from '../postgres/types.ts'
import { Refusal } from '../refusals.ts'

const columns = {
  key_id: int8,
  client_id: int8,
  contact_id: int8,
  digest: bytes,
  scopes: textArray,
  expires_at: nullable(instant),
  revoked: bool,
}

const findKeySql = statement(new URL('find-key.sql', import.meta.url), { parameters: { key_id: int8 }, columns })
const changedKeysSql = statement(new URL('changed-keys.sql', import.meta.url), {
  parameters: { most: int8 },
  columns,
})

const lookEveryMs = 1_500
const trustedForMs = 4_000
const changesShownForMs = 15_000 // Less than what changed-keys.sql shows: the rest is for statements that take long to commit.
const changesMax = 1_000 // When there are more at once, all keys are read anew as they come.
const rereadAfterMs = 60_000 // For changes that nobody announced, such as a row deleted by hand.
const keysMax = 100_000 // Some 40 MB. Beyond it the oldest entry makes room.

interface Entry {
  /** Undefined when there is no such key, or no longer. */
  key: (Values<typeof columns> & { actor: Actor }) | undefined
  readAt: number
}

export interface Authenticator {
  authenticate: (authorization: string | undefined) => Actor | Promise<Actor>
  close: () => void
}

export function makeAuthenticator(db: Database): Authenticator {
  const entries = new Map<number, Entry>()
  let lookedAt = performance.now() // Nothing is known yet that could have changed before.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs).unref()

  function authenticate(authorization: string | undefined): Actor | Promise<Actor> {
    const key = authorization ?? ''
    const keyId = keyIdOf(key)
    if (keyId === undefined) throw new Refusal('unauthorized', {})
    const entry = entries.get(keyId)
    return entry !== undefined && isTrusted(entry) ? admit(entry, key) : read(keyId).then((found) => admit(found, key))
  }

  /** That a key does not exist is believed for a moment only: nobody announces new keys to those who asked too early. */
  function isTrusted({ key, readAt }: Entry): boolean {
    const now = performance.now()
    const verifiedAt = key === undefined ? readAt : Math.max(readAt, lookedAt)
    return now - verifiedAt < trustedForMs && now - readAt < rereadAfterMs
  }

  async function read(keyId: number): Promise<Entry> {
    const readAt = performance.now()
    const row = await db.row(findKeySql, { key_id: keyId })
    const entry = entries.get(keyId)
    if (entry !== undefined && entry.readAt > readAt) return entry // A later look at the key has been answered already.
    return remember(keyId, row, readAt)
  }

  /** Learns of changes as of the moment of asking. */
  async function look(): Promise<void> {
    const askedAt = performance.now()
    const changed = await db.rows(changedKeysSql, { most: changesMax })
    const unseen = askedAt - lookedAt > changesShownForMs || changed.length === changesMax
    if (unseen) entries.clear()
    for (const row of changed) {
      const entry = entries.get(row.key_id)
      if (entry !== undefined && entry.readAt <= askedAt) remember(row.key_id, row, askedAt)
    }
    lookedAt = Math.max(lookedAt, askedAt)
  }

  function remember(keyId: number, row: Values<typeof columns> | undefined, readAt: number): Entry {
    const oldest = entries.size >= keysMax && !entries.has(keyId) ? entries.keys().next() : undefined
    if (oldest?.done === false) entries.delete(oldest.value)
    const valid = row !== undefined && !row.revoked
    const entry: Entry = { key: valid ? { ...row, actor: actorOf(row) } : undefined, readAt }
    entries.set(keyId, entry)
    return entry
  }

  return { authenticate, close: () => clearInterval(timer) }
}

function actorOf({ client_id, contact_id, key_id, scopes }: Values<typeof columns>): Actor {
  return { client_id, contact_id, key_id, scopes }
}

/** Digests are compared in constant time; every way to fail gives the same answer. */
function admit({ key: known }: Entry, key: string): Actor {
  const fits = known !== undefined && timingSafeEqual(known.digest, digestOf(key))
  if (!fits || (known.expires_at !== null && known.expires_at <= Date.now())) throw new Refusal('unauthorized', {})
  return known.actor
}
