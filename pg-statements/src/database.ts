/** The only way to PostgreSQL: one named statement at a time, each atomic on its own. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openConnections } from './connections.ts'
import type { DriverSettings, ExpectedWaitMs } from './driver.ts'
import { openPgPool } from './pg-pool.ts'
import type { Shape, Statement, Values } from './statement.ts'

export interface Database {
  /** All rows; none when a constraint that the statement names in `refusedBy` has refused it. */
  rows<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C>[]>
  /** The first row, if there is one. */
  row<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C> | undefined>
  /** How long a statement may take, and so how long an operation may keep trying. */
  readonly deadlineMs: number
  expectedWaitMs(): ExpectedWaitMs
  close(): Promise<void>
}

/** `pipelined` is our own protocol client, `pg` the library alone. */
export const driverNames = ['pipelined', 'pg'] as const
export type DriverName = (typeof driverNames)[number]

export interface DatabaseSettings extends DriverSettings {
  readonly driver?: DriverName
  /** Called after each attempt, for metrics. */
  readonly onStatement?: (attempt: StatementAttempt) => void
}

export interface StatementAttempt {
  readonly statement: string
  readonly outcome: StatementOutcome
  readonly seconds: number
}

/** `collided` is retried; `refused` is an expected refusal by a constraint. */
export type StatementOutcome = 'done' | 'refused' | 'collided' | 'overdue' | 'unavailable' | 'failed'

/** Nothing is wrong with the statement or its values: the caller may try again later. */
export class DatabaseTrouble extends Error {
  /** `unavailable`: PostgreSQL cannot be reached. `busy`: it did not get to the statement in time. */
  readonly kind: 'unavailable' | 'busy'

  constructor(kind: 'unavailable' | 'busy', options?: ErrorOptions) {
    super(kind === 'unavailable' ? 'The database is unavailable.' : 'The database is busy.', options)
    this.name = 'DatabaseTrouble'
    this.kind = kind
  }
}

const attemptsMax = 4 // One try and three retries: a deadlock's victim succeeds as soon as the other side is done.

export function openDatabase(settings: DatabaseSettings): Database {
  const driver = settings.driver === 'pg' ? openPgPool(settings) : openConnections(settings)

  async function rows<P extends Shape, C extends Shape>(
    statement: Statement<P, C>,
    values: Values<P>,
  ): Promise<Values<C>[]> {
    const encoded = statement.encode(values)
    for (let attempt = 1; ; attempt++) {
      const started = performance.now()
      const observe = (outcome: StatementOutcome): void =>
        settings.onStatement?.({
          statement: statement.name,
          outcome,
          seconds: (performance.now() - started) / 1000,
        })
      try {
        const found = await driver.query(statement, encoded)
        observe('done')
        return found as Values<C>[]
      } catch (error) {
        const outcome = outcomeOf(error, statement)
        observe(outcome)
        if (outcome === 'refused') return []
        if (outcome === 'unavailable') throw new DatabaseTrouble('unavailable', { cause: error })
        if (outcome === 'failed') throw error
        if (outcome === 'overdue' || attempt === attemptsMax) throw new DatabaseTrouble('busy', { cause: error })
        await sleep(Math.random() * 20 * attempt)
      }
    }
  }

  return {
    rows,
    row: async (statement, values) => (await rows(statement, values))[0],
    deadlineMs: settings.statementTimeoutMs,
    expectedWaitMs: driver.expectedWaitMs,
    close: driver.close,
  }
}

// A serialisation failure, a deadlock, and a statement sent behind one that could not be prepared.
const collisions = new Set(['40001', '40P01', '26000'])
const cancelledByTimeout = '57014'
// Shutting down, starting up, too many connections, out of memory or disk.
const unavailable = /^(57|53|08)/

function outcomeOf(error: unknown, { refusedBy }: { refusedBy: readonly string[] }): StatementOutcome {
  if (!(error instanceof pg.DatabaseError)) return isConnectionFailure(error) ? 'unavailable' : 'failed'
  const code = error.code ?? ''
  if (collisions.has(code)) return 'collided'
  if (code === cancelledByTimeout) return 'overdue' // Nearly always it waited for a lock.
  if (refusedBy.includes(error.constraint ?? '') || refusedBy.includes(code)) return 'refused'
  return unavailable.test(code) ? 'unavailable' : 'failed'
}

/** What `pg` and the socket below it report when the server cannot be reached or went away. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|ENOENT)/.test(code) ||
    /connect|terminat|timeout/i.test(error.message)
  )
}
