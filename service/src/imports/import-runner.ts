/** Imports of one process: they have connections of their own, so that nothing else waits behind their batches. */
import type { Logger } from 'pino'
import { runImport } from './run-import.ts'
import type { Database } from 'pg-statements/database.ts'
import type { ConnectionSettings } from 'pg-statements/connections.ts'

export interface ImportRunner {
  readonly db: Database
  /** Brings a received import to its end, in the background. */
  readonly start: (import_id: number) => void
  /** Lets the batches under way finish; the rest is taken up by another process. */
  readonly close: () => Promise<void>
}

/**
 * Only the end of an import has to be on disk before anybody is told, and its statements say so.
 * All look-ups are by key. A plan made while a table was nearly empty would read all of it, and be kept while it grows: importing
 * 300,000 levels into a table that had been analysed when it was empty took three times as long.
 */
const sessionSettings = ['synchronous_commit=off', 'enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off']

const statementTimeoutMs = 60_000 // A batch takes some 20 ms; a lock that it waits for, sometimes longer than a request may.

/** The connections on which imports are applied, by the process that received them or by one that resumes them. */
export const importConnections = {
  poolSize: 3,
  statementTimeoutMs,
  sessionSettings,
} satisfies Partial<ConnectionSettings>

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
