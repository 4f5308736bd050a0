/** The only way to PostgreSQL: one named statement at a time, each atomic on its own. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { treatmentOf } from './classify.ts'
import { openConnections } from './engine/connections.ts'
import type {
  Caller,
  ConnectionState,
  Driver,
  DriverSettings,
  StatementAttempt,
  StatementLoad,
  StatementOutcome,
} from './engine/driver.ts'
import { makeStatement, type Shape, type Statement, type Values } from './statement.ts'
import { CallerGone, DatabaseTrouble } from './trouble.ts'
import { bool } from './types.ts'

export type { Caller, ConnectionState, StatementAttempt, StatementLoad, ReplacedReason } from './engine/driver.ts'
export { CallerGone, DatabaseTrouble, UnusableDatabase } from './trouble.ts'

export interface Database {
  /** All rows; none when a constraint that the statement names in `refusedBy` has refused it. */
  rows<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C>[]>
  /** The first row, if there is one. */
  row<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C> | undefined>
  /** The same database, for one caller: its statements use its share and end with it. */
  for(caller: Caller): Database
  /** How long a statement may take. */
  readonly statementTimeoutMs: number
  /** Until when an operation may keep trying, by `performance.now()`. */
  deadline(): number
  /** How long a new statement will wait. Each call measures the time since the last one, so there is one reader. */
  load(): StatementLoad
  /** The part, from 0 to 1, of the recent statement time that this share has used. */
  loadOf(share: string): number
  /** Rejects unless the server accepts changes. */
  checkWritable(): Promise<void>
  state(): ConnectionState
  close(): Promise<void>
}

export interface DatabaseSettings extends DriverSettings {
  /** Called after each attempt, for metrics. */
  readonly onStatement?: (attempt: StatementAttempt) => void
}

const attemptsMax = 4 // One try and three retries: a deadlock's victim succeeds as soon as the other side is done.

const readOnly = makeStatement(
  'read-only',
  `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
  { parameters: {}, columns: { read_only: bool }, reads: false }, // It asks the server that changes go to.
)

export function openDatabase(settings: DatabaseSettings): Database {
  return new OpenDatabase(settings, openConnections(settings), undefined)
}

class OpenDatabase implements Database {
  readonly #settings: DatabaseSettings
  readonly #driver: Driver
  readonly #caller: Caller | undefined

  constructor(settings: DatabaseSettings, driver: Driver, caller: Caller | undefined) {
    this.#settings = settings
    this.#driver = driver
    this.#caller = caller
  }

  async rows<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C>[]> {
    const encoded = statement.encode(values)
    for (let attempt = 1; ; attempt++) {
      const started = performance.now()
      try {
        const found = await this.#driver.query(statement, encoded, this.#caller)
        this.#observe(statement, 'done', started)
        return found as Values<C>[]
      } catch (error) {
        const outcome = outcomeOf(error, statement)
        this.#observe(statement, outcome, started)
        if (outcome === 'refused') return []
        if (outcome === 'failed' || outcome === 'gone') throw error
        if (outcome === 'unavailable' || outcome === 'overdue' || attempt === attemptsMax)
          throw troubleOf(outcome, error)
        await sleep(Math.random() * 20 * attempt)
      }
    }
  }

  async row<P extends Shape, C extends Shape>(
    statement: Statement<P, C>,
    values: Values<P>,
  ): Promise<Values<C> | undefined> {
    return (await this.rows(statement, values))[0]
  }

  for(caller: Caller): Database {
    return new OpenDatabase(this.#settings, this.#driver, caller)
  }

  get statementTimeoutMs(): number {
    return this.#settings.statementTimeoutMs
  }

  deadline(): number {
    return Math.min(this.#caller?.deadline ?? Infinity, performance.now() + this.#settings.statementTimeoutMs)
  }

  load(): StatementLoad {
    return this.#driver.load()
  }

  loadOf(share: string): number {
    return this.#driver.loadOf(share)
  }

  async checkWritable(): Promise<void> {
    const found = await this.row(readOnly, {})
    if (found?.read_only === false) return
    this.#driver.replaceConnections()
    throw new DatabaseTrouble('unavailable', { cause: new Error('The server accepts no changes.') })
  }

  state(): ConnectionState {
    return this.#driver.state()
  }

  close(): Promise<void> {
    return this.#driver.close()
  }

  #observe({ name, reads }: Pick<Statement, 'name' | 'reads'>, outcome: StatementOutcome, started: number): void {
    const attempt = { statement: name, reads, outcome, seconds: (performance.now() - started) / 1000 }
    this.#settings.onStatement?.(attempt)
    this.#caller?.onStatement?.(attempt)
  }
}

function outcomeOf(
  error: unknown,
  { refusedBy, collidesBy }: Pick<Statement, 'refusedBy' | 'collidesBy'>,
): StatementOutcome {
  if (error instanceof CallerGone) return 'gone'
  if (error instanceof pg.DatabaseError) {
    if (refusedBy.includes(error.constraint ?? '') || refusedBy.includes(error.code ?? '')) return 'refused'
    if (collidesBy.includes(error.code ?? '')) return 'collided'
  }
  const treatment = treatmentOf(error)
  return outcomes[treatment]
}

const outcomes = {
  'prepare again': 'collided',
  'replace, read-only': 'unavailable',
  replace: 'unavailable',
  collided: 'collided',
  busy: 'overdue',
  unavailable: 'unavailable',
  failed: 'failed',
} satisfies Record<ReturnType<typeof treatmentOf>, StatementOutcome>

const troubleOf = (outcome: StatementOutcome, cause: unknown): DatabaseTrouble =>
  cause instanceof DatabaseTrouble
    ? cause
    : new DatabaseTrouble(outcome === 'unavailable' ? 'unavailable' : 'busy', { cause })
