import type pg from 'pg'
import type { ReplacedReason } from './driver.ts'
import type { ServerSession } from './left-behind.ts'
import type { OpenedClient } from './open-client.ts'
import type { Pending } from './pending.ts'
import { Session, type SessionEvents } from './session.ts'

const goodbyeMaxMs = 5_000 // A server that is gone never closes its side.

/** An open session, and how its first statement in flight is getting on. */
export class Connection {
  readonly client: pg.Client
  readonly session: Session
  readonly readOnly: boolean
  readonly server: ServerSession
  readonly expiresAt: number
  /** When the first statement in flight began to run: when it was sent, or when the one before it ended. */
  headSince = 0
  /** The part of its time that its share has been charged with already. */
  chargedMs = 0
  idleSince = performance.now()
  /** The first statement has been running for so long that nothing is sent behind it. */
  stuck = false
  /** It runs a statement that may get stuck, so nothing is sent behind it. */
  alone = false
  /** A statement was cancelled here at least once so that those behind it could run. */
  gaveWay = false
  /** Why it is closed when its statements have ended. */
  retiring: ReplacedReason | undefined = undefined
  closing = false
  /** Statements that have ended. */
  ended = 0
  #sweptEnded = -1
  /** Sweeps in which no statement ended. */
  sweeps = 0

  constructor({ client, readOnly, server }: OpenedClient, expiresAt: number, events: SessionEvents) {
    this.client = client
    this.readOnly = readOnly
    this.server = server
    this.expiresAt = expiresAt
    this.session = new Session(client, events)
  }

  get depth(): number {
    return this.session.inFlight.length
  }

  get head(): Pending | undefined {
    return this.session.inFlight[0]
  }

  get accepts(): boolean {
    return !this.stuck && !this.alone && this.retiring === undefined
  }

  /** Counts how often the same statement is found first in flight. */
  sweep(): void {
    if (this.depth > 0 && this.ended === this.#sweptEnded) this.sweeps++
    else this.sweeps = 0
    this.#sweptEnded = this.ended
  }

  /** Closes it once its statements have ended. */
  retire(reason: ReplacedReason): void {
    this.retiring ??= reason
    this.closeIfDone()
  }

  closeIfDone(): void {
    if (this.retiring === undefined || this.depth > 0 || this.closing) return
    this.closing = true
    void this.client.end().catch(() => undefined)
    setTimeout(() => this.session.destroy(), goodbyeMaxMs).unref()
  }
}
