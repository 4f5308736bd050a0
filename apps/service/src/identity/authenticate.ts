/**
 * Finds out who is calling, by the key in the Authorization header. Keys are cached in memory. While there are requests,
 * one statement reads every 1.5 seconds the keys that were changed recently, so that every process refuses a revoked key
 * within 5 seconds. When that statement has not succeeded for 4 seconds, no cached key is trusted: each is read from the
 * database first. The process that changed a key does not wait: it runs the statement before it answers.
 *
 * A key is `pos_<key id>_<43 base62 characters>_<6 character checksum>` for clients, the same with `pso_` for operators
 * and `pss_` for their sessions. Secret scanners recognise it, and a mistyped key fails its checksum without a database
 * read.
 */
import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Logger } from 'pino'
import type { CheckedColumns, KeyKind, KeyPrefix, keyUseShape } from './key-kinds.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import type { Values } from 'pg-statements/statement.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const refreshEveryMs = 1_500
const trustedForMs = 4_000
const changesShownForMs = 15_000 // The statement shows 20 s of changes; the rest is for transactions that commit late.
const changesMax = 1_000 // If more keys changed at once, the cache is emptied and each key is read on its next use.
const dayMs = 24 * 60 * 60 * 1_000
const rereadAfterMs = 60_000 // For changes that do not set changed_at, such as a row deleted by hand.
const keysMax = 100_000 // About 40 MB. Beyond it, the oldest entry is evicted.

interface Entry<A> {
  /** Undefined if the key does not exist or is revoked. */
  readonly key: { readonly digest: Uint8Array; readonly expires_at: number | null; readonly actor: A } | undefined
  readonly readAt: number
}

export interface Authenticator<A> {
  /**
   * Throws the refusal `unauthorized` for anything but a valid key. A cached key is answered without a promise.
   * `beforeLookup` is called before the database is asked about a key that was not valid here before; it may throw.
   */
  readonly authenticate: (authorization: string | undefined, beforeLookup?: () => void) => A | Promise<A>
  /** Who a key seems to belong to, if that is cached. The key is not checked. */
  readonly guess: (authorization: string | undefined) => A | undefined
  /** As `guess`, for the right key only. It may be revoked or expired. */
  readonly knows: (authorization: string | undefined) => A | undefined
  /** Applies all changes that are committed. If they cannot be read, the cache is emptied. */
  readonly recheck: () => Promise<void>
  readonly close: () => Promise<void>
}

export function openAuthenticator<C extends CheckedColumns, A>(
  db: Database,
  kind: KeyKind<C, A>,
  { keyUseIntervalMs, keyDaysMax = 0, logger }: { keyUseIntervalMs: number; keyDaysMax?: number; logger: Logger },
): Authenticator<A> {
  const uses = recordKeyUses(db, kind.recordUses, { intervalMs: keyUseIntervalMs, logger })
  const entries = new Map<number, Entry<A>>()
  let refreshedAt = performance.now() // The cache is empty, so nothing in it can be out of date.
  let refreshing = Promise.resolve()
  let wasAsked = false // Since the last refresh: an idle process sends nothing.
  const noteFailure = (error: unknown): void =>
    logUnexpected(error, logger, 'changed keys could not be read; trying again')
  const timer = setInterval(() => {
    if (!wasAsked) return
    wasAsked = false
    refreshing = refresh().catch(noteFailure)
  }, refreshEveryMs).unref()

  function authenticate(authorization = '', beforeLookup?: () => void): A | Promise<A> {
    const keyId = keyIdOf(authorization, kind.prefix)
    if (keyId === undefined) throw new Refusal('unauthorized', schemeBefore(authorization))
    wasAsked = true
    const entry = entries.get(keyId)
    if (entry !== undefined && isTrusted(entry)) return admit(entry, keyId, authorization)
    if (entry === undefined || !hasDigestOf(entry, authorization)) beforeLookup?.()
    return read(keyId).then((found) => admit(found, keyId, authorization))
  }

  function admit(entry: Entry<A>, keyId: number, key: string): A {
    const actor = verify(entry, key)
    uses.note(keyId)
    return actor
  }

  /** A refresh confirms only keys that exist: a key that was not found may have been issued since. */
  function isTrusted({ key, readAt }: Entry<A>): boolean {
    const now = performance.now()
    const confirmedAt = key === undefined ? readAt : Math.max(readAt, refreshedAt)
    return now - confirmedAt < trustedForMs && now - readAt < rereadAfterMs
  }

  async function read(keyId: number): Promise<Entry<A>> {
    const readAt = performance.now()
    const row = await db.row(kind.find, { key_id: keyId })
    const entry = entries.get(keyId)
    if (entry !== undefined && entry.readAt > readAt) return entry // A later read was answered first.
    return store(keyId, row, readAt)
  }

  /** Brings the cache up to date, as of the moment the statement is sent. */
  async function refresh(): Promise<void> {
    const sentAt = performance.now()
    const changed = await db.rows(kind.changed, { most: changesMax })
    const changesMissed = sentAt - refreshedAt > changesShownForMs || changed.length === changesMax
    if (changesMissed) entries.clear()
    for (const row of changed) {
      const entry = entries.get(row.key_id)
      // A key that is not cached is stored too: it may be about to be, as it was when an earlier statement read it.
      if (entry === undefined || entry.readAt <= sentAt) store(row.key_id, row, sentAt)
    }
    refreshedAt = Math.max(refreshedAt, sentAt)
  }

  function recheck(): Promise<void> {
    return refresh().catch((error: unknown) => {
      entries.clear()
      noteFailure(error)
    })
  }

  function store(keyId: number, row: Values<C> | undefined, readAt: number): Entry<A> {
    const oldest = entries.size >= keysMax && !entries.has(keyId) ? entries.keys().next() : undefined
    if (oldest?.done === false) entries.delete(oldest.value)
    const valid = row !== undefined && !row.revoked
    const key = valid ? { digest: row.digest, expires_at: expiryOf(row), actor: kind.actorOf(row) } : undefined
    const entry: Entry<A> = { key, readAt }
    entries.set(keyId, entry)
    return entry
  }

  /** The earlier of its own expiry and the age that keys may reach. */
  function expiryOf({ issued_at, expires_at }: Pick<Values<C>, 'issued_at' | 'expires_at'>): number | null {
    if (keyDaysMax === 0 || issued_at === null) return expires_at
    return Math.min(expires_at ?? Infinity, issued_at + keyDaysMax * dayMs)
  }

  function guess(authorization = ''): A | undefined {
    const keyId = keyIdOf(authorization, kind.prefix)
    return keyId === undefined ? undefined : entries.get(keyId)?.key?.actor
  }

  function knows(authorization = ''): A | undefined {
    const entry = entries.get(keyIdOf(authorization, kind.prefix) ?? 0)
    return entry !== undefined && hasDigestOf(entry, authorization) ? entry.key?.actor : undefined
  }

  return {
    authenticate,
    guess,
    knows,
    recheck,
    close: async () => {
      clearInterval(timer)
      await Promise.all([refreshing, uses.close()])
    },
  }
}

/** The scheme word in front of a key, which other services ask for. */
function schemeBefore(authorization: string): { scheme?: string } {
  const [, scheme] = /^(Bearer|Basic|Digest|Token|Key|ApiKey|Api-Key)[\s:=]+\S/i.exec(authorization) ?? []
  return scheme === undefined ? {} : { scheme }
}

/** Compares in constant time. */
const hasDigestOf = <A>({ key: known }: Entry<A>, key: string): boolean =>
  known !== undefined && timingSafeEqual(known.digest, digestOf(key))

/** Every failure gives the same answer. */
function verify<A>(entry: Entry<A>, key: string): A {
  const { key: known } = entry
  if (
    known === undefined ||
    !hasDigestOf(entry, key) ||
    (known.expires_at !== null && !(known.expires_at > Date.now()))
  )
    throw new Refusal('unauthorized', {})
  return known.actor
}

// Enough for a usual minute in one statement. It takes about 40 ms (100,000 keys take 4.5 s), and none of the keys can be
// revoked in the meantime.
const batchSize = 1_000

interface KeyUses {
  readonly note: (keyId: number) => void
  /** Writes what is left. */
  readonly close: () => Promise<void>
}

/**
 * When keys were last used: noted in memory and written by one statement per interval, so that a request costs none.
 * A process that is killed loses what it noted since the last write.
 */
function recordKeyUses(
  db: Database,
  record: KeyKind<CheckedColumns, unknown>['recordUses'],
  { intervalMs, logger }: { intervalMs: number; logger: Logger },
): KeyUses {
  let usedAt = new Map<number, number>()
  let writing = Promise.resolve()
  const timer = setInterval(writeInTurn, intervalMs).unref()

  function writeInTurn(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    const noted = [...usedAt]
    usedAt = new Map()
    for (let at = 0; at < noted.length; at += batchSize) {
      try {
        await db.row(record, agesOf(noted.slice(at, at + batchSize)))
      } catch (error) {
        logUnexpected(error, logger, 'the last use of keys could not be written; trying again')
        usedAt = new Map([...noted.slice(at), ...usedAt]) // Kept for the next write; a later use wins.
        return
      }
    }
  }

  return {
    note: (keyId) => void usedAt.set(keyId, performance.now()),
    close: () => {
      clearInterval(timer)
      return writeInTurn()
    },
  }
}

/** Ages instead of times: only the database's clock counts. */
function agesOf(noted: readonly (readonly [number, number])[]): Values<typeof keyUseShape.parameters> {
  const now = performance.now()
  return {
    key_ids: noted.map(([keyId]) => keyId),
    ages_ms: noted.map(([, at]) => Math.round(now - at)),
    most: noted.length,
  }
}

/**
 * For work that is repeated in the background. While the database is away or busy, the next attempt will do, and clients
 * see the outage in their own requests. Any other error is a bug and is logged.
 */
function logUnexpected(error: unknown, logger: Logger, message: string): void {
  if (!(error instanceof DatabaseTrouble)) logger.error({ err: error }, message)
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43 // 256 bits.

const formats: Record<KeyPrefix, RegExp> = {
  pos: /^pos_([1-9][0-9]{0,15})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
  pso: /^pso_([1-9][0-9]{0,15})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
  pss: /^pss_([1-9][0-9]{0,15})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
}

export function makeApiKey(keyId: number, prefix: KeyPrefix = 'pos'): string {
  return keyWith(keyId, prefix, Array.from({ length: secretLength }, () => base62[randomInt(62)]).join(''))
}

/** A key with a secret that is known: for the demo, whose keys are the same at each start. */
export function keyWith(keyId: number, prefix: KeyPrefix, secret: string): string {
  const body = `${prefix}_${keyId}_${secret}`
  return `${body}_${checksum(body)}`
}

/** The id in a key with the right format and checksum; undefined for anything else. */
export function keyIdOf(key: string, prefix: KeyPrefix = 'pos'): number | undefined {
  const keyId = Number(formats[prefix].exec(key)?.[1])
  return Number.isSafeInteger(keyId) && key.endsWith(checksum(key.slice(0, -7))) ? keyId : undefined
}

/** What is stored of a key. */
export function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = `${base62[rest % 62]}${text}`
    rest = Math.floor(rest / 62)
  }
  return text
}
