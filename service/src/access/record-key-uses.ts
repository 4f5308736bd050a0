/**
 * When keys were last used: noted in memory, and written down by one statement every now and then, so that a request costs none.
 * A process that is killed loses what it has noted since the last time.
 */
import type { Database } from 'pg-statements/database.ts'
import type { Statement, Values } from 'pg-statements/statement.ts'
import { int8, int8Array } from 'pg-statements/types.ts'

export const keyUseShape = {
  parameters: { key_ids: int8Array, ages_ms: int8Array, most: int8 },
  columns: { keys: int8 },
}

// One statement for any usual minute. It takes some 40 ms for as many (100,000 in one take 4.5 seconds), in which none of them can be revoked.
const keysAtOnce = 1_000

export interface KeyUses {
  note: (keyId: number) => void
  /** Writes down what is left. */
  close: () => Promise<void>
}

export function noteKeyUses(
  db: Database,
  record: Statement<typeof keyUseShape.parameters, typeof keyUseShape.columns>,
  everyMs: number,
): KeyUses {
  let used = new Map<number, number>()
  let writing = Promise.resolve()
  const timer = setInterval(writeDown, everyMs).unref()

  function writeDown(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function write(): Promise<void> {
    const noted = [...used]
    used = new Map()
    for (let at = 0; at < noted.length; at += keysAtOnce) {
      try {
        await db.row(record, agesOf(noted.slice(at, at + keysAtOnce)))
      } catch {
        used = new Map([...noted.slice(at), ...used]) // The database is away: the next time, unless they are used again before.
        return
      }
    }
  }

  return {
    note: (keyId) => void used.set(keyId, performance.now()),
    close: () => {
      clearInterval(timer)
      return writeDown()
    },
  }
}

/** Ages, not instants: the clock of the database is the one that counts. */
function agesOf(noted: readonly (readonly [number, number])[]): Values<typeof keyUseShape.parameters> {
  const now = performance.now()
  return {
    key_ids: noted.map(([keyId]) => keyId),
    ages_ms: noted.map(([, at]) => Math.round(now - at)),
    most: noted.length,
  }
}
