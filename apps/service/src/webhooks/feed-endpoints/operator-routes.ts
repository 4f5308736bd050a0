import Type from 'typebox'
import { changeFeedEndpoint, rotateFeedSecret } from './change-feed-endpoint.ts'
import { createFeedEndpoint } from './create-feed-endpoint.ts'
import { deleteFeedEndpoint } from './delete-feed-endpoint.ts'
import {
  eventsPerMessageMax,
  exampleCursor,
  FeedEndpoint,
  feedEndpointsMax,
  FeedEndpointWithSecret,
} from './feed-endpoint.ts'
import { FeedDelivery, listFeedDeliveries } from './list-feed-deliveries.ts'
import { listFeedEndpoints } from './read-feed-endpoints.ts'
import { requestFeedTest } from './request-feed-test.ts'
import type { AddressPolicy } from '../public-address.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { urlField } from '../url-field.ts'
import { eventTypeWords } from '../../events/event-types.ts'
import { readFeedCursor, type FeedPosition } from '../../events/feed/read-feed.ts'
import { endedIds, exampleIds } from '../../vocabulary/example-ids.ts'
import { choices, flag, id, optional, type Field } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const endpoint_id = id('The id of the endpoint.', exampleIds.feed_endpoint_id)

const someTypes = choices(eventTypeWords.words, {
  description: 'The event types to send; an empty list for all.',
  example: ['order.created', 'order.state_changed'],
})
const event_types: Field<string[]> = {
  ...someTypes,
  schema: { ...someTypes.schema, minItems: 0 },
  read: (text) => (text === '[]' ? [] : someTypes.read(text)),
}

const cursorField = (description: string): Field<FeedPosition> => ({
  required: true,
  schema: { type: 'string', minLength: 1, maxLength: 200, description, examples: [exampleCursor] },
  rule: 'the next_cursor of an answer of GET /operator/v1/events/, or the cursor of an endpoint',
  read: readFeedCursor,
})

const feedUrl = (policy: AddressPolicy): Field<string> =>
  urlField(policy, { what: 'messages', example: 'https://erp.example/parts/events' })

const common = { tag: 'Events', permission: 'administer' } as const

export const feedEndpointRoutes = (policy: AddressPolicy, box: SecretBox): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/feed-endpoints/',
    operationId: 'listFeedEndpoints',
    ...common,
    summary: "List the feed's endpoints",
    description: `The endpoints to which the events of all clients are pushed (at most ${feedEndpointsMax}), oldest first.`,
    data: Type.Array(refer(FeedEndpoint)),
    refusals: [],
    handle: ({ db }) => listFeedEndpoints(db),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/feed-endpoints/',
    operationId: 'createFeedEndpoint',
    configures: true,
    ...common,
    trace: 'audit feed_endpoint_created',
    summary: 'Push the feed to an endpoint',
    description: `Sends the events of all clients to this URL, in the order of \`GET /operator/v1/events/\`, signed as the Standard Webhooks specification defines. A message has up to ${eventsPerMessageMax} events. Each event comes at least once; it may come again in a message with other events, so compare \`client_id\` and \`event_number\`. The secret is shown only in this response. Each call creates an endpoint unless it repeats an Idempotency-Key.`,
    form: {
      url: feedUrl(policy),
      event_types: optional(event_types),
      cursor: optional(cursorField('Where to begin. By default with the events that happen from now on.')),
    },
    takesIdempotencyKey: true,
    data: refer(FeedEndpointWithSecret),
    refusals: ['feed_endpoint_limit_reached', 'feed_endpoint_not_found', 'feed_expired', 'idempotency_key_used'],
    handle: ({ db, actor, form, request_id, retry }) => createFeedEndpoint(db, box, { actor, request_id, retry }, form),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/feed-endpoints/{endpoint_id}/',
    operationId: 'changeFeedEndpoint',
    configures: true,
    ...common,
    trace: 'audit feed_endpoint_changed',
    summary: 'Change an endpoint of the feed, or replay from a position',
    description:
      'Changes the given fields and sends the next message at once. Events of a message that was in flight may arrive twice. `active=false` pauses the endpoint, `active=true` resumes it; no events are lost in the meantime.',
    params: { endpoint_id },
    form: {
      url: optional(feedUrl(policy)),
      event_types: optional(event_types),
      active: optional(flag({ description: 'Whether messages are sent.', example: false })),
      cursor: optional(
        cursorField('The position to continue from: an earlier one sends events again, a later one skips events.'),
      ),
    },
    partial: true,
    data: refer(FeedEndpoint),
    refusals: ['nothing_to_change', 'feed_endpoint_not_found', 'feed_expired'],
    handle: ({ db, actor, params, form, request_id }) => changeFeedEndpoint(db, { actor, request_id, ...params }, form),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/feed-endpoints/{endpoint_id}/',
    operationId: 'deleteFeedEndpoint',
    configures: true,
    ...common,
    trace: 'audit feed_endpoint_deleted',
    summary: 'Delete an endpoint of the feed',
    description: 'Its delivery log is no longer available. A message in flight may still arrive.',
    params: { endpoint_id: id('The id of the endpoint.', endedIds.feed_endpoint_id) },
    data: Type.Object({ removed_endpoint_id: Type.Integer({ description: 'The id of the deleted endpoint.' }) }),
    refusals: ['feed_endpoint_not_found'],
    handle: ({ db, actor, params, request_id }) => deleteFeedEndpoint(db, { actor, request_id, ...params }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/feed-endpoints/{endpoint_id}/rotate-secret/',
    operationId: 'rotateFeedEndpointSecret',
    configures: true,
    ...common,
    trace: 'audit feed_endpoint_changed',
    summary: 'Rotate the secret of an endpoint of the feed',
    description:
      'Creates a new secret, shown only in this response. For 24 hours messages are signed with both secrets, so that the receiver can switch at any time; another rotation within these 24 hours ends the oldest secret at once. Send an Idempotency-Key, so that a retry after a lost response rotates only once.',
    params: { endpoint_id },
    takesIdempotencyKey: true,
    data: refer(FeedEndpointWithSecret),
    refusals: ['feed_endpoint_not_found', 'idempotency_key_used'],
    handle: ({ db, actor, params, request_id, retry }) =>
      rotateFeedSecret(db, box, { actor, request_id, ...params }, retry),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/feed-endpoints/{endpoint_id}/test/',
    operationId: 'testFeedEndpoint',
    configures: true,
    ...common,
    trace: 'none: the delivery log has the test',
    summary: 'Send a test message',
    description:
      'Sends a message of type `webhook.test` within a second or two, or after a message in flight. It is also sent to a paused endpoint, and it is not retried. The result is in the delivery log.',
    params: { endpoint_id },
    data: Type.Object({ endpoint_id: Type.Integer({ description: 'The id of the endpoint.' }) }),
    refusals: ['feed_endpoint_not_found'],
    handle: ({ db, params }) => requestFeedTest(db, params.endpoint_id),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/feed-endpoints/{endpoint_id}/deliveries/',
    operationId: 'listFeedDeliveries',
    ...common,
    summary: 'List the deliveries of an endpoint of the feed',
    description: 'Every attempt of the last 30 days, newest first. Response bodies are not stored.',
    params: { endpoint_id },
    query: pageFields,
    data: refer(FeedDelivery),
    paged: true,
    refusals: ['feed_endpoint_not_found'],
    handle: ({ db, params, page }) => listFeedDeliveries(db, params.endpoint_id, page),
  }),
]
