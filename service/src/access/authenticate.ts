/**
 * Finds out who asks. Keys are kept in memory; every 1.5 seconds one statement asks which were changed lately, so that a revoked key
 * stops working within 5 seconds on every process. When that has not been answered for 4 seconds, no key is trusted unread.
 */
import { timingSafeEqual } from 'node:crypto'
import { digestOf, keyIdOf, type KeyKind } from './api-key.ts'
import { noteKeyUses, type keyUseShape } from './record-key-uses.ts'
import type { Database } from 'pg-statements/database.ts'
import type { Statement, Values } from 'pg-statements/statement.ts'
import { bool, bytes, instant, int8, nullable } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const lookEveryMs = 1_500
const trustedForMs = 4_000
const changesShownForMs = 15_000 // Less than what changed-keys.sql shows: the rest is for statements that take long to commit.
const changesMax = 1_000 // When there are more at once, all keys are read anew as they come.
const rereadAfterMs = 60_000 // For changes that nobody announced, such as a row deleted by hand.
const keysMax = 100_000 // Some 40 MB. Beyond it the oldest entry makes room.

/** The columns that every kind of key has. */
export const keyColumns = { key_id: int8, digest: bytes, expires_at: nullable(instant), revoked: bool }

export interface KeySource<C extends typeof keyColumns, A> {
  readonly kind: KeyKind
  readonly find: Statement<{ key_id: typeof int8 }, C>
  /** Keys changed within the last 20 seconds, newest first. */
  readonly changed: Statement<{ most: typeof int8 }, C>
  /** Writes down when keys were last used. */
  readonly recordUses: Statement<typeof keyUseShape.parameters, typeof keyUseShape.columns>
  readonly actorOf: (row: Values<C>) => A
}

interface Entry<A> {
  /** Undefined when there is no such key, or no longer. */
  key: { readonly digest: Uint8Array; readonly expires_at: number | null; readonly actor: A } | undefined
  readAt: number
}

export interface Keyring<A> {
  authenticate: (authorization: string | undefined) => A | Promise<A>
  close: () => Promise<void>
}

export function makeKeyring<C extends typeof keyColumns, A>(
  db: Database,
  { kind, find, changed: changedSql, recordUses, actorOf }: KeySource<C, A>,
  usesEveryMs: number,
): Keyring<A> {
  const uses = noteKeyUses(db, recordUses, usesEveryMs)
  const entries = new Map<number, Entry<A>>()
  let lookedAt = performance.now() // Nothing is known yet that could have changed before.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs).unref()

  function authenticate(authorization: string | undefined): A | Promise<A> {
    const key = authorization ?? ''
    const keyId = keyIdOf(key, kind)
    if (keyId === undefined) throw new Refusal('unauthorized', {})
    const entry = entries.get(keyId)
    return entry !== undefined && isTrusted(entry)
      ? enter(entry, keyId, key)
      : read(keyId).then((found) => enter(found, keyId, key))
  }

  function enter(entry: Entry<A>, keyId: number, key: string): A {
    const actor = admit(entry, key)
    uses.note(keyId)
    return actor
  }

  /** That a key does not exist is believed for a moment only: nobody announces new keys to those who asked too early. */
  function isTrusted({ key, readAt }: Entry<A>): boolean {
    const now = performance.now()
    const verifiedAt = key === undefined ? readAt : Math.max(readAt, lookedAt)
    return now - verifiedAt < trustedForMs && now - readAt < rereadAfterMs
  }

  async function read(keyId: number): Promise<Entry<A>> {
    const readAt = performance.now()
    const row = await db.row(find, { key_id: keyId })
    const entry = entries.get(keyId)
    if (entry !== undefined && entry.readAt > readAt) return entry // A later look at the key has been answered already.
    return remember(keyId, row, readAt)
  }

  /** Learns of changes as of the moment of asking. */
  async function look(): Promise<void> {
    const askedAt = performance.now()
    const changed = await db.rows(changedSql, { most: changesMax })
    const unseen = askedAt - lookedAt > changesShownForMs || changed.length === changesMax
    if (unseen) entries.clear()
    for (const row of changed) {
      const entry = entries.get(row.key_id)
      if (entry !== undefined && entry.readAt <= askedAt) remember(row.key_id, row, askedAt)
    }
    lookedAt = Math.max(lookedAt, askedAt)
  }

  function remember(keyId: number, row: Values<C> | undefined, readAt: number): Entry<A> {
    const oldest = entries.size >= keysMax && !entries.has(keyId) ? entries.keys().next() : undefined
    if (oldest?.done === false) entries.delete(oldest.value)
    const valid = row !== undefined && !row.revoked
    const key = valid ? { digest: row.digest, expires_at: row.expires_at, actor: actorOf(row) } : undefined
    const entry: Entry<A> = { key, readAt }
    entries.set(keyId, entry)
    return entry
  }

  return {
    authenticate,
    close: () => {
      clearInterval(timer)
      return uses.close()
    },
  }
}

/** Digests are compared in constant time; every way to fail gives the same answer. */
function admit<A>({ key: known }: Entry<A>, key: string): A {
  const fits = known !== undefined && timingSafeEqual(known.digest, digestOf(key))
  if (!fits || (known.expires_at !== null && !(known.expires_at > Date.now()))) throw new Refusal('unauthorized', {})
  return known.actor
}
