import { issueOperatorKey } from '../../../apps/service/src/keys/issue-operator-key.ts'
import { openDatabase } from '../../../apps/service/src/open-database.ts'

/** A new key of an administrator, for benchmarks of the operators' side. */
export async function operatorKey(url: string): Promise<string> {
  const db = openDatabase({ url, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 5_000 })
  try {
    return (await issueOperatorKey(db, { operator_name: 'Bench', role: 'admin', request_id: 'bench', actor: 'bench' }))
      .key
  } finally {
    await db.close()
  }
}
