/** Runs the imports of one process, on connections of their own, so that nothing else waits behind their batches. */
import type { Logger } from 'pino'
import { runImport } from './run-import.ts'
import type { Database } from 'pg-statements/database.ts'
import type { DatabaseSettings } from 'pg-statements/database.ts'

export interface ImportRunner {
  readonly db: Database
  /** Completes a received import in the background. */
  readonly start: (import_id: number) => void
  /** Lets the batches in progress finish; another process continues with the rest. */
  readonly close: () => Promise<void>
}

/**
 * Only the end of an import must be on disk before it is reported, and its statements see to that.
 * All lookups are by key. A plan made while a table is nearly empty would scan it and be kept while it grows: importing
 * 300,000 levels into a table that had been analysed when empty took three times as long.
 */
const sessionSettings = ['synchronous_commit=off', 'enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off']

const statementTimeoutMs = 60_000 // A batch takes about 20 ms, but may wait for a lock longer than a request may.

/** The connections on which imports are applied, by the process that received them or by one that resumes them. */
export const importConnections = {
  poolSize: 3,
  statementTimeoutMs,
  sessionSettings,
} satisfies Partial<DatabaseSettings>

/** `db` has these connections. */
export function makeImportRunner(db: Database, logger: Logger): ImportRunner {
  const running = new Set<Promise<void>>()
  let closing = false
  return {
    db,
    start: (import_id) => {
      const run = runImport(db, import_id, { stopping: () => closing, waiting: true })
        .catch((error: unknown) =>
          logger.error({ err: error, import_id }, 'an import has stopped, and will be taken up again'),
        )
        .finally(() => running.delete(run))
      running.add(run)
    },
    close: async () => {
      closing = true
      await Promise.all(running)
    },
  }
}
