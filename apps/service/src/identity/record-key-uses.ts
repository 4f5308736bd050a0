/**
 * When keys were last used: noted in memory and written by one statement per interval, so that a request costs none.
 * A process that is killed loses what it noted since the last write.
 */
import type { Logger } from 'pino'
import { logUnexpected } from './log-unexpected.ts'
import type { Database } from 'pg-statements/database.ts'
import type { Statement, Values } from 'pg-statements/statement.ts'
import { int8, int8Array } from 'pg-statements/types.ts'

export const keyUseShape = {
  parameters: { key_ids: int8Array, ages_ms: int8Array, most: int8 },
  columns: { keys: int8 },
}

// Enough for a usual minute in one statement. It takes about 40 ms (100,000 keys take 4.5 s), and none of the keys can be
// revoked in the meantime.
const batchSize = 1_000

export interface KeyUses {
  readonly note: (keyId: number) => void
  /** Writes what is left. */
  readonly close: () => Promise<void>
}

export function recordKeyUses(
  db: Database,
  record: Statement<typeof keyUseShape.parameters, typeof keyUseShape.columns>,
  { intervalMs, logger }: { intervalMs: number; logger: Logger },
): KeyUses {
  let usedAt = new Map<number, number>()
  let writing = Promise.resolve()
  const timer = setInterval(writeInTurn, intervalMs).unref()

  function writeInTurn(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    const noted = [...usedAt]
    usedAt = new Map()
    for (let at = 0; at < noted.length; at += batchSize) {
      try {
        await db.row(record, agesOf(noted.slice(at, at + batchSize)))
      } catch (error) {
        logUnexpected(error, logger, 'the last use of keys could not be written; trying again')
        usedAt = new Map([...noted.slice(at), ...usedAt]) // Kept for the next write; a later use wins.
        return
      }
    }
  }

  return {
    note: (keyId) => void usedAt.set(keyId, performance.now()),
    close: () => {
      clearInterval(timer)
      return writeInTurn()
    },
  }
}

/** Ages instead of times: only the database's clock counts. */
function agesOf(noted: readonly (readonly [number, number])[]): Values<typeof keyUseShape.parameters> {
  const now = performance.now()
  return {
    key_ids: noted.map(([keyId]) => keyId),
    ages_ms: noted.map(([, at]) => Math.round(now - at)),
    most: noted.length,
  }
}
