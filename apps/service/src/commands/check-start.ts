import { checkSecretKeys } from './check-secret-keys.ts'
import { openMainDatabase } from './connection.ts'
import { StartProblem } from './start-problem.ts'
import type { Config } from '../config.ts'
import { findUnsuitable } from '../readiness/check-ready.ts'
import { recordDatabaseIdentity } from '../restore/recognise-restore.ts'

/**
 * Throws if this version cannot work with the database, or cannot connect to it. A server that accepts no changes for a
 * moment, during a failover, is no reason not to start: `/readyz` reports it.
 */
export async function checkStart(config: Config): Promise<void> {
  const db = openMainDatabase({ ...config, poolSize: 1 })
  try {
    const unsuitable = await findUnsuitable(db)
    if (unsuitable !== undefined) throw new StartProblem(unsuitable)
    await checkSecretKeys(db, config)
    await recordDatabaseIdentity(db)
  } finally {
    await db.close()
  }
}
