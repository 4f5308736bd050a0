/** `npm run invariants`: prints every violation of an invariant, and exits with 1 if there are any. */
import { connectionOf } from './connection.ts'
import { readSettings } from './read-settings.ts'
import { checkInvariants, wholeTables } from '../invariants/check-invariants.ts'
import { openDatabase } from '../open-database.ts'

const statementTimeoutMs = 24 * 60 * 60_000 // The database may be of any size.

export async function invariants(environment: NodeJS.ProcessEnv): Promise<void> {
  const db = openDatabase({
    ...connectionOf(readSettings(environment)),
    poolSize: 1,
    statementTimeoutMs,
    sessionSettings: wholeTables,
  })
  try {
    const violations = await checkInvariants(db)
    for (const { invariant, violation } of violations) process.stdout.write(`${invariant}: ${violation}\n`)
    process.stdout.write(violations.length === 0 ? 'All invariants hold.\n' : 'Not all invariants hold.\n')
    process.exitCode = violations.length === 0 ? 0 : 1
  } finally {
    await db.close()
  }
}
