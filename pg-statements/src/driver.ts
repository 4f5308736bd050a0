/** What a driver does: it sends one prepared statement and returns its decoded rows. Two exist: `connections.ts` and `pg-pool.ts`. */
import type { Row, Statement } from './statement.ts'

export interface Driver {
  /** Rejects with pg's DatabaseError when PostgreSQL reports an error, with another Error when the connection fails. */
  query: (statement: Statement, values: readonly (string | null)[]) => Promise<Row[]>
  expectedWaitMs: () => ExpectedWaitMs
  close: () => Promise<void>
}

/** How long a statement sent now will wait for earlier ones, at the pace since the last call; 0 where there is no queue. */
export interface ExpectedWaitMs {
  readonly reading: number
  readonly writing: number
}

export interface DriverSettings {
  readonly url: string
  readonly poolSize: number
  readonly timeZone: string
  readonly statementTimeoutMs: number
  /** Further PostgreSQL settings for these sessions, as `name=value`. */
  readonly sessionSettings?: readonly string[]
}

/**
 * The generic plan is right, since all statements look rows up by key and planning costs more than running.
 * The session's time zone is the service's, so that PostgreSQL prints and reads days as clients mean them.
 */
export function sessionOptions(
  settings: Pick<DriverSettings, 'timeZone' | 'statementTimeoutMs' | 'sessionSettings'>,
): string {
  return [
    '-c plan_cache_mode=force_generic_plan',
    '-c jit=off',
    '-c DateStyle=ISO',
    `-c TimeZone=${settings.timeZone}`,
    `-c statement_timeout=${settings.statementTimeoutMs}`,
    ...(settings.sessionSettings ?? []).map((setting) => `-c ${setting}`),
  ].join(' ')
}
