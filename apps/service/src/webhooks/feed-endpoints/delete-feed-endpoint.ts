import { tracesOf, type FeedEndpointRequest } from './feed-endpoint.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const deleteFeedEndpointSql = statement(new URL('delete-feed-endpoint.sql', import.meta.url), {
  parameters: { endpoint_id: int8, actor: text, request_id: text },
  columns: { removed_endpoint_id: int8 },
})

export async function deleteFeedEndpoint(
  db: Database,
  { endpoint_id, ...request }: FeedEndpointRequest,
): Promise<{ removed_endpoint_id: number }> {
  const deleted = await db.row(deleteFeedEndpointSql, { endpoint_id, ...tracesOf(request) })
  if (deleted === undefined) throw new Refusal('feed_endpoint_not_found', { endpoint_id })
  return deleted
}
