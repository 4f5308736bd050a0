import { readClient } from './read-client.ts'
import type { Database } from 'pg-statements/database.ts'
import { Refusal } from '../vocabulary/refusals.ts'

/**
 * What `work` does for a client that an operator names. Work that is refused, or finds nothing, may have been asked for
 * a client that does not exist: that is then the refusal.
 */
export async function ofKnownClient<T>(db: Database, client_id: number, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work()
    if (Array.isArray(done) && done.length === 0) await readClient(db, client_id) // Throws if there is none.
    return done
  } catch (error) {
    if (error instanceof Refusal) await readClient(db, client_id)
    throw error
  }
}
