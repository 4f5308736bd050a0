import type { Caller } from './driver.ts'
import type { Row, Statement } from '../statement.ts'

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
    copy.isIgnored = true
    return copy
  }
}

const ignore = (): void => undefined
