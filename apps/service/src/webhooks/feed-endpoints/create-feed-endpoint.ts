import {
  feedEndpointColumns,
  feedEndpointOf,
  feedEndpointsMax,
  tracesOf,
  type FeedEndpointRequest,
  type FeedEndpointWithSecret,
} from './feed-endpoint.ts'
import { distributor, type SecretBox } from '../secrets/secret-box.ts'
import { makeSecret } from '../signature.ts'
import type { FeedPosition } from '../../events/feed/read-feed.ts'
import { call, functionCall } from '../../functions/call.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const createFeedEndpointSql = functionCall(new URL('create_feed_endpoint.sql', import.meta.url), {
  parameters: {
    endpoint_url: text,
    types: textArray,
    new_secret: text,
    generation: nullable(int4),
    after_transaction: nullable(text),
    after_client: nullable(int8),
    after_number: nullable(int8),
    endpoints_max: int8,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  answer: 'feed_endpoint(f.created_id, f.refused)',
  columns: { ...feedEndpointColumns, secret: text },
})

/** A position of the feed as parameters; nulls without one. */
export const positionParameters = (cursor: FeedPosition | undefined) => ({
  generation: cursor?.generation ?? null,
  after_transaction: cursor?.after_transaction ?? null,
  after_client: cursor?.after_client ?? null,
  after_number: cursor?.after_number ?? null,
})

interface FeedEndpointInput {
  readonly url: string
  readonly event_types?: string[] | undefined
  /** From now on by default. */
  readonly cursor?: FeedPosition | undefined
}

export async function createFeedEndpoint(
  db: Database,
  box: SecretBox,
  { retry, ...request }: Omit<FeedEndpointRequest, 'endpoint_id'> & { retry: Retry },
  { url, event_types = [], cursor }: FeedEndpointInput,
): Promise<FeedEndpointWithSecret> {
  const { secret, ...created } = await call(db, createFeedEndpointSql, {
    endpoint_url: url,
    types: event_types,
    new_secret: box.seal(makeSecret(), distributor),
    ...positionParameters(cursor),
    endpoints_max: feedEndpointsMax,
    ...tracesOf(request),
    ...retry,
  })
  return { ...feedEndpointOf(created), secret: box.open(secret, distributor) }
}
