import { feedEndpointColumns, feedEndpointOf, type FeedEndpoint } from './feed-endpoint.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'

const listFeedEndpointsSql = shortStatement('list-feed-endpoints', {
  sql: `select -- columns f
    from shown_feed_endpoints f
    order by f.endpoint_id`,
  parameters: {},
  columns: feedEndpointColumns,
})

export async function listFeedEndpoints(db: Database): Promise<FeedEndpoint[]> {
  return (await db.rows(listFeedEndpointsSql, {})).map(feedEndpointOf)
}
