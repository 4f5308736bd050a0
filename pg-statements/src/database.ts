/** The only way to PostgreSQL: one named statement at a time, each atomic by itself. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Histogram } from 'prom-client'
import { openConnections, type ConnectionSettings, type WaitMs } from './connections.ts'
import { Refusal } from '../../service/src/refusals.ts'
import type { Shape, Statement, Values } from './statement.ts'

export interface Database {
  /** All rows; none when a constraint that the statement names has refused it. */
  rows<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C>[]>
  /** The first row, if there is one. */
  row<P extends Shape, C extends Shape>(statement: Statement<P, C>, values: Values<P>): Promise<Values<C> | undefined>
  /** How long a statement may take, and so how long an operation may try. */
  readonly deadlineMs: number
  /** How long a statement that comes now will take, at the pace since this was asked last. */
  waitMs(): WaitMs
  close(): Promise<void>
}

const statementSeconds = new Histogram({
  name: 'parts_statement_duration_seconds',
  help: 'Time from sending a statement to its answer, by statement.',
  labelNames: ['statement', 'outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})

const attemptsMax = 4 // A statement and three repetitions: a deadlock's victim succeeds as soon as the other side is done.

export function openDatabase(settings: ConnectionSettings): Database {
  const lanes = openConnections(settings)

  async function rows<P extends Shape, C extends Shape>(
    statement: Statement<P, C>,
    values: Values<P>,
  ): Promise<Values<C>[]> {
    for (let attempt = 1; ; attempt++) {
      const started = performance.now()
      const observe = (outcome: string): void =>
        statementSeconds.observe({ statement: statement.name, outcome }, (performance.now() - started) / 1000)
      try {
        const found = await lanes.query(statement, statement.encode(values))
        observe('done')
        return found as Values<C>[]
      } catch (error) {
        const verdict = judge(error, statement)
        observe(verdict)
        if (verdict === 'refused') return []
        if (verdict === 'unavailable') throw new Refusal('database_unavailable', {}, { cause: error })
        if (verdict === 'failed') throw error
        if (verdict === 'overdue' || attempt === attemptsMax) throw new Refusal('busy', {}, { cause: error })
        await sleep(Math.random() * 20 * attempt)
      }
    }
  }

  return {
    rows,
    row: async (statement, values) => (await rows(statement, values))[0],
    deadlineMs: settings.statementTimeoutMs,
    waitMs: lanes.waitMs,
    close: () => lanes.close(),
  }
}

// A serialisation failure, a deadlock, and a statement sent behind one that could not be prepared.
const collisions = new Set(['40001', '40P01', '26000'])
const cancelledByTimeout = '57014'
// Shutting down, starting up, too many connections, out of memory or disk.
const unavailable = /^(57|53|08)/

function judge(
  error: unknown,
  statement: { refusedBy: readonly string[] },
): 'refused' | 'collided' | 'overdue' | 'unavailable' | 'failed' {
  if (!(error instanceof pg.DatabaseError)) return isConnectionTrouble(error) ? 'unavailable' : 'failed'
  const code = error.code ?? ''
  if (collisions.has(code)) return 'collided'
  if (code === cancelledByTimeout) return 'overdue' // Nearly always it has waited for a lock.
  if (statement.refusedBy.includes(error.constraint ?? '') || statement.refusedBy.includes(code)) return 'refused'
  return unavailable.test(code) ? 'unavailable' : 'failed'
}

/** What `pg` and the socket below it report when the server cannot be reached or went away. */
function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|ENOENT)/.test(code) ||
    /connect|terminat|timeout/i.test(error.message)
  )
}
