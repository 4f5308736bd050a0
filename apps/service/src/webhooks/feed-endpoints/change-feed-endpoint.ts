import {
  feedEndpointColumns,
  feedEndpointOf,
  tracesOf,
  type FeedEndpoint,
  type FeedEndpointRequest,
  type FeedEndpointWithSecret,
} from './feed-endpoint.ts'
import { positionParameters } from './create-feed-endpoint.ts'
import { distributor, type SecretBox } from '../secrets/secret-box.ts'
import { makeSecret } from '../signature.ts'
import type { FeedPosition } from '../../events/feed/read-feed.ts'
import { call, functionCall } from '../../functions/call.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import { noRetry, type Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const changeFeedEndpointSql = functionCall(new URL('change_feed_endpoint.sql', import.meta.url), {
  parameters: {
    changed_id: int8,
    new_url: nullable(text),
    types: nullable(textArray),
    active: nullable(bool),
    new_secret: nullable(text),
    generation: nullable(int4),
    after_transaction: nullable(text),
    after_client: nullable(int8),
    after_number: nullable(int8),
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  answer: 'feed_endpoint(:changed_id, f.refused)',
  columns: { ...feedEndpointColumns, secret: text },
})

interface FeedEndpointChanges {
  readonly url?: string | undefined
  readonly event_types?: string[] | undefined
  readonly active?: boolean | undefined
  readonly cursor?: FeedPosition | undefined
}

/** After any change the next message is sent at once, as if no delivery had failed before. */
export async function changeFeedEndpoint(
  db: Database,
  request: FeedEndpointRequest,
  changes: FeedEndpointChanges,
): Promise<FeedEndpoint> {
  return feedEndpointOf(await change(db, request, changes, { new_secret: null, retry: noRetry }))
}

export async function rotateFeedSecret(
  db: Database,
  box: SecretBox,
  request: FeedEndpointRequest,
  retry: Retry,
): Promise<FeedEndpointWithSecret> {
  const new_secret = box.seal(makeSecret(), distributor)
  const { secret, ...changed } = await change(db, request, {}, { new_secret, retry })
  return { ...feedEndpointOf(changed), secret: box.open(secret, distributor) }
}

const change = (
  db: Database,
  { endpoint_id, ...request }: FeedEndpointRequest,
  { url, event_types, active, cursor }: FeedEndpointChanges,
  { new_secret, retry }: { new_secret: string | null; retry: Retry },
) =>
  call(db, changeFeedEndpointSql, {
    changed_id: endpoint_id,
    new_url: url ?? null,
    types: event_types ?? null,
    active: active ?? null,
    new_secret,
    ...positionParameters(cursor),
    ...tracesOf(request),
    ...retry,
  })
