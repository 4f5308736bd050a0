import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const requestFeedTestSql = shortStatement('request-feed-test', {
  sql: `update feed_endpoints set test_requested = true
    where endpoint_id = :endpoint_id
    returning endpoint_id`,
  parameters: { endpoint_id: int8 },
  columns: { endpoint_id: int8 },
})

/** The worker sends the test and writes the result to the delivery log. */
export async function requestFeedTest(db: Database, endpoint_id: number): Promise<{ endpoint_id: number }> {
  const requested = await db.row(requestFeedTestSql, { endpoint_id })
  if (requested === undefined) throw new Refusal('feed_endpoint_not_found', { endpoint_id })
  return requested
}
