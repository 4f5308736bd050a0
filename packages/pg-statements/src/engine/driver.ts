/** What the connections do for `database.ts`: they send one prepared statement and return its decoded rows. */
import type { Row, Statement } from '../statement.ts'

export interface Driver {
  /** Rejects with pg's DatabaseError when PostgreSQL reports an error, with another Error when the connection fails. */
  query: (statement: Statement, values: readonly (string | null)[], caller: Caller | undefined) => Promise<Row[]>
  /** Replaces all connections as they become idle, because they may lead to a server that is no longer the primary. */
  replaceConnections: () => void
  load: () => StatementLoad
  loadOf: (share: string) => number
  state: () => ConnectionState
  close: () => Promise<void>
}

/** On whose behalf statements are sent, such as a request. */
export interface Caller {
  /** Whose share of the connections is used, such as a client's id. */
  readonly share: string
  /** By `performance.now()`: nothing is sent later. */
  readonly deadline: number
  /** The caller has left: nothing more is sent. */
  readonly isGone: () => boolean
  /** Called after each attempt, for traces. */
  readonly onStatement?: ((attempt: StatementAttempt) => void) | undefined
}

export interface StatementAttempt {
  readonly statement: string
  readonly reads: boolean
  readonly outcome: StatementOutcome
  readonly seconds: number
}

/** `collided` is retried; `refused` is an expected refusal by a constraint; `gone` was not sent, because its caller had left. */
export type StatementOutcome = 'done' | 'refused' | 'collided' | 'overdue' | 'unavailable' | 'failed' | 'gone'

/** How long a statement that is sent now will wait for earlier ones, at the pace since the last call; 0 where there is no queue. */
export interface StatementLoad {
  readonly reading: number
  readonly writing: number
}

export interface ConnectionState {
  readonly open: number
  /** With a statement in flight. */
  readonly busy: number
  /** Whose statement has been running for longer than 50 ms. Nothing is sent behind it. */
  readonly stuck: number
  /** Statements that wait for a connection. */
  readonly queued: number
}

/** Why a connection was closed before the program ended. */
export type ReplacedReason = 'age' | 'idle' | 'lost' | 'read-only' | 'server' | 'silent'

export interface DriverSettings {
  readonly url: string
  readonly poolSize: number
  readonly timeZone: string
  readonly statementTimeoutMs: number
  /** The `application_name` of its sessions; `parts` by default. */
  readonly sessionName?: string
  /** Further PostgreSQL settings for these sessions, as `name=value`. */
  readonly sessionSettings?: readonly string[]
  /** A connection is replaced at about this age, half of it earlier or later at random. */
  readonly connectionAgeMaxMs?: number
  /** Called for each connection that is closed before `close`, for metrics. */
  readonly onReplaced?: (reason: ReplacedReason) => void
}
