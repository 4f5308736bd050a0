/**
 * Statements that wait for a connection. The next one is that of the share that has used the least statement time
 * (a virtual-time queue): a share with a thousand statements waiting delays a share with one by one statement.
 */
import type { Row, Statement } from '../statement.ts'
import type { Caller } from './driver.ts'

/** Statements of one share that are tried when the first cannot be sent, for example because its table is locked. */
const lookAheadMax = 8

const turnMs = 0.05 // Makes shares that have used the same take turns; less than any statement takes.

export class FairQueue {
  readonly #shares = new Map<string, Share>()
  readonly #waiting = new Set<Share>()
  #virtualMs = 0
  #recentMs = 0
  length = 0

  shareOf(key: string): Share {
    let share = this.#shares.get(key)
    if (share === undefined) {
      share = { key, waiting: [], inFlight: 0, stuck: 0, virtualMs: this.#virtualMs, recentMs: 0 }
      this.#shares.set(key, share)
    }
    return share
  }

  push(pending: Pending): void {
    this.#enter(pending.share)
    pending.share.waiting.push(pending)
  }

  /** For a statement that is sent again: it has waited before. */
  pushFirst(pending: Pending): void {
    this.#enter(pending.share)
    pending.share.waiting.unshift(pending)
  }

  #enter(share: Share): void {
    this.length++
    this.#waiting.add(share)
    // Time in which a share wanted nothing does not count in its favour.
    if (share.inFlight === 0 && share.waiting.length === 0) share.virtualMs = Math.max(share.virtualMs, this.#virtualMs)
  }

  /** Removes and returns the next statement for which `fits` is true. */
  take(fits: (pending: Pending) => boolean): Pending | undefined {
    let first: Share | undefined
    for (const share of this.#waiting) if (first === undefined || share.virtualMs < first.virtualMs) first = share
    if (first === undefined) return undefined
    const found = this.#takeFrom(first, fits)
    if (found !== undefined || this.#waiting.size === 1) return found
    for (const share of [...this.#waiting].sort((a, b) => a.virtualMs - b.virtualMs)) {
      const next = this.#takeFrom(share, fits)
      if (next !== undefined) return next
    }
    return undefined
  }

  #takeFrom(share: Share, fits: (pending: Pending) => boolean): Pending | undefined {
    for (let i = 0; i < share.waiting.length && i < lookAheadMax; i++) {
      const pending = share.waiting[i]
      if (pending === undefined || !fits(pending)) continue
      this.#remove(share, i)
      this.#virtualMs = Math.max(this.#virtualMs, share.virtualMs)
      share.virtualMs += turnMs
      return pending
    }
    return undefined
  }

  #remove(share: Share, at: number): void {
    if (at === 0) share.waiting.shift()
    else share.waiting.splice(at, 1)
    this.length--
    if (share.waiting.length === 0) this.#waiting.delete(share)
  }

  /** Removes the statements for which `isOver` is true; it has ended them. */
  drop(isOver: (pending: Pending) => boolean): void {
    for (const share of this.#waiting)
      for (let i = share.waiting.length - 1; i >= 0; i--) {
        const pending = share.waiting[i]
        if (pending !== undefined && isOver(pending)) this.#remove(share, i)
      }
  }

  /** How many statements wait for which `counts` is true, and since when. */
  waitingSince(counts: (pending: Pending) => boolean): { readonly since: number; readonly length: number } {
    let since = Infinity
    let length = 0
    for (const share of this.#waiting)
      for (const pending of share.waiting) {
        if (!counts(pending)) continue
        since = Math.min(since, pending.waitsSince)
        length++
      }
    return { since, length }
  }

  /** The lock that statements with this name have waited for is gone: from now on they wait for a connection. */
  unblock(name: string, now: number): void {
    for (const { waiting } of this.#waiting)
      for (const pending of waiting) if (pending.statement.name === name) pending.waitsSince = now
  }

  /** Statement time that a share has used. */
  charge(share: Share, ms: number): void {
    share.virtualMs += ms
    share.recentMs += ms
    this.#recentMs += ms
  }

  usedLately(key: string): { readonly byShare: number; readonly byAll: number } {
    return { byShare: this.#shares.get(key)?.recentMs ?? 0, byAll: this.#recentMs }
  }

  /** Once a second: older use counts less, and shares that are no longer in use are forgotten. */
  decay(): void {
    this.#recentMs *= 0.9
    for (const share of this.#shares.values()) {
      share.recentMs *= 0.9
      const used = share.inFlight + share.waiting.length > 0 || share.recentMs > 1
      if (!used) this.#shares.delete(share.key)
    }
  }
}

/** The statements of one client: all that get a part of the connections together. */
export interface Share {
  readonly key: string
  readonly waiting: Pending[]
  inFlight: number
  /** Connections on which a statement of this share is stuck. */
  stuck: number
  /** The statement time used, counted from that of the others when the share was last without statements. */
  virtualMs: number
  /** The statement time used lately: it loses a tenth in each second. */
  recentMs: number
}

/** One execution of a statement: through the queue and over a connection to its rows or its error. */
export class Pending {
  readonly statement: Statement
  readonly values: readonly (string | null)[]
  readonly share: Share
  readonly caller: Caller | undefined
  readonly queuedAt: number
  /** Since when it waits for a connection; while it waited for a lock, it did not. */
  waitsSince: number
  /** Nothing is sent after this. */
  readonly deadline: number
  readonly resolve: (rows: Row[]) => void
  readonly reject: (error: Error) => void
  rows: Row[] = []
  error: Error | undefined = undefined
  /** How long it was expected to take when it was sent. */
  expectedMs = 0
  /** Its text was sent with it, and PostgreSQL has not confirmed yet that it parsed. */
  parsing = false
  /** PostgreSQL has executed it. What follows concerns the commit. */
  executed = false
  /** How often it was sent again through no fault of its own. */
  repeats = 0
  /** Its answer is of no interest any more: it was sent again elsewhere. */
  isIgnored = false

  constructor(
    statement: Statement,
    values: readonly (string | null)[],
    share: Share,
    caller: Caller | undefined,
    queuedAt: number,
    deadline: number,
    resolve: (rows: Row[]) => void,
    reject: (error: Error) => void,
  ) {
    this.statement = statement
    this.values = values
    this.share = share
    this.caller = caller
    this.queuedAt = queuedAt
    this.waitsSince = queuedAt
    this.deadline = deadline
    this.resolve = resolve
    this.reject = reject
  }

  /** Before it is sent again. */
  reset(): void {
    this.rows = []
    this.error = undefined
    this.parsing = false
    this.executed = false
    this.repeats++
  }

  /** A copy that takes this one's place on its connection and whose answer is ignored. */
  ignored(): Pending {
    const copy = new Pending(
      this.statement,
      this.values,
      this.share,
      undefined,
      this.queuedAt,
      this.deadline,
      ignore,
      ignore,
    )
    copy.parsing = this.parsing
    copy.expectedMs = this.expectedMs
    copy.isIgnored = true
    return copy
  }
}

const ignore = (): void => undefined
