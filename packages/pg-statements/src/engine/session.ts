/**
 * Prepared statements over a connection that `pg` has opened, in PostgreSQL's own protocol.
 * `pg` could send them too, but it requests the description of the columns each time, writes each statement separately and
 * creates an object for every message: reading an order through it costs twice as much CPU (181 against 78 µs).
 */
import type { Socket } from 'node:net'
import type pg from 'pg'
import { columnNames, errorOf, kinds, reader, Writer } from './frames.ts'
import type { Pending } from './pending.ts'
import { DatabaseTrouble } from '../trouble.ts'

export interface SessionEvents {
  /** The first statement in flight has its answer; an error is in `error`. */
  ended: (pending: Pending) => void
  /** The connection is closed. Statements in flight have no answer, or the server's reason in `error`. */
  closed: (inFlight: readonly Pending[]) => void
}

export class Session {
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
