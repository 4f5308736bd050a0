import type { Socket } from 'node:net'
import type pg from 'pg'
import type { ReplacedReason } from './driver.ts'
import type { ServerSession } from './left-behind.ts'
import type { OpenedClient } from './open-client.ts'
import type { Pending } from './fair-queue.ts'
import { columnNames, errorOf, kinds, reader, Writer } from './frames.ts'
import { DatabaseTrouble } from '../trouble.ts'

const goodbyeMaxMs = 5_000 // A server that is gone never closes its side.

interface SessionEvents {
  /** The first statement in flight has its answer; an error is in `error`. */
  ended: (pending: Pending) => void
  /** The connection is closed. Statements in flight have no answer, or the server's reason in `error`. */
  closed: (inFlight: readonly Pending[]) => void
}

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
  /** How long its statements in flight take, as far as is known. */
  aheadMs = 0
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

/**
 * Prepared statements over a connection that `pg` has opened, in PostgreSQL's own protocol.
 * `pg` could send them too, but it requests the description of the columns each time, writes each statement separately and
 * creates an object for every message: reading an order through it costs twice as much CPU (181 against 78 µs).
 */
class Session {
  readonly inFlight: Pending[] = []
  readonly #stream: Socket
  readonly #writer: Writer
  readonly #prepared = new Set<string>()
  /** Statements whose text was sent and not confirmed yet. */
  readonly #parsing = new Set<string>()
  /** Statements to drop before they are prepared again. */
  readonly #outdated = new Set<string>()
  readonly #events: SessionEvents

  constructor(client: pg.Client, events: SessionEvents) {
    this.#stream = client.connection.stream as Socket
    this.#writer = new Writer(this.#stream)
    this.#events = events
    this.#stream
      .removeAllListeners('data')
      .on(
        'data',
        reader((kind, bytes, start, end) => this.#receive(kind, bytes, start, end)),
      )
      .on('close', () => this.#events.closed(this.inFlight.splice(0)))
  }

  /** A statement sent behind one that fails to parse would fail as well, so it is not sent until this is over. */
  isParsing(name: string): boolean {
    return this.#parsing.size > 0 && this.#parsing.has(name)
  }

  /** Sends the statement without waiting for earlier ones. */
  send(pending: Pending): void {
    const { statement } = pending
    if (!this.#prepared.has(statement.name)) this.#prepare(pending)
    this.#writer.run(statement, pending.values)
    this.inFlight.push(pending)
  }

  #prepare(pending: Pending): void {
    const { statement } = pending
    if (this.#outdated.delete(statement.name)) this.#writer.closeStatement(statement.name)
    this.#writer.parse(statement)
    this.#prepared.add(statement.name)
    this.#parsing.add(statement.name)
    pending.parsing = true
  }

  /** The statement is prepared again when it is next sent. */
  forget(name: string): void {
    if (this.#parsing.has(name)) return // That has happened already, for another one behind the same fault.
    this.#prepared.delete(name)
    this.#outdated.add(name)
  }

  /** Gives up on the connection: the server may be gone without notice. */
  destroy(): void {
    this.#stream.destroy()
  }

  /** A message from the server; its body lies in `bytes` from `start` to `end`. */
  #receive(kind: number, bytes: Buffer, start: number, end: number): void {
    const current = this.inFlight[0]
    if (current === undefined) return // A notice, or the server's shutdown notice: the socket's close event does the rest.
    switch (kind) {
      case kinds.dataRow:
        try {
          current.rows.push(current.statement.decode(bytes, start))
        } catch (error) {
          current.error = error as Error // Fails this statement only, not the connection.
        }
        break
      case kinds.rowDescription:
        current.statement.describe(columnNames(bytes, start))
        break
      case kinds.parseComplete:
        current.parsing = false
        this.#parsing.delete(current.statement.name)
        break
      case kinds.commandComplete:
        current.executed = true
        break
      case kinds.notice:
        // After a statement was executed, only the commit can warn: the wait for a synchronous standby was cancelled. The change
        // is committed here and may be missing on the standby, so nobody may rely on it yet.
        if (current.executed && errorOf(bytes, start, end).severity === 'WARNING')
          current.error = new DatabaseTrouble('unavailable', { cause: errorOf(bytes, start, end) })
        break
      case kinds.error:
        current.error = errorOf(bytes, start, end)
        if (current.parsing) {
          this.#prepared.delete(current.statement.name)
          this.#parsing.delete(current.statement.name)
        }
        break
      case kinds.readyForQuery:
        this.inFlight.shift()
        this.#events.ended(current)
        break
      default: // BindComplete and others carry nothing that is needed.
    }
  }
}
