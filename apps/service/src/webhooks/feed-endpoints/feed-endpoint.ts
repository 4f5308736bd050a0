import Type, { type Static } from 'typebox'
import { testEventType } from '../webhook.ts'
import { eventTypeWords } from '../../events/event-types.ts'
import { FeedEvent, exampleFeedEvent } from '../../events/feed-event.ts'
import { feedCursorOf } from '../../events/feed/read-feed.ts'
import { operatorActor, type Operator } from '../../identity/actor.ts'
import { refer, textOrNull, word, wordOrNull, type WordList } from '../../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'

const pausedReasons: WordList = {
  name: 'FeedPausedReason',
  meaning:
    'Why an endpoint of the feed is paused: `operator` (by an admin), `gone` (it answered 410), `failing` (no delivery has succeeded for three days).',
  words: ['operator', 'gone', 'failing'],
}

const properties = {
  endpoint_id: Type.Integer({ description: 'The id of the endpoint, used in paths.' }),
  url: Type.String({ description: 'The URL that messages are sent to, normalised.' }),
  event_types: Type.Array(word(eventTypeWords, 'An event type.'), {
    description: 'The event types that are sent; empty means all.',
  }),
  active: Type.Boolean({ description: 'Whether messages are sent; false while the endpoint is paused.' }),
  paused_reason: wordOrNull(pausedReasons, 'Why the endpoint is paused; null while it is active.'),
  paused_at: textOrNull('When the endpoint was paused; null while it is active.'),
  cursor: Type.String({
    description:
      'The position in the feed. Every event before it was delivered, has a type that is not sent, or expired before it could be sent. `GET /operator/v1/events/` continues from it.',
  }),
  attempts: Type.Integer({
    description: 'Consecutive failed attempts to deliver the next message; 0 when deliveries succeed.',
  }),
  failing_since: textOrNull('When deliveries started to fail; null when they succeed.'),
  last_failure: textOrNull(
    'The result of the last failed attempt: a status, or an error such as `timeout`. Null when deliveries succeed.',
  ),
  next_attempt_at: textOrNull(
    'When the next message is retried; null if no retry is scheduled or the endpoint is paused.',
  ),
  previous_secret_until: textOrNull(
    'Until when messages are also signed with the previous secret; null if there is none.',
  ),
  created_at: Type.String({ description: 'When the endpoint was created, `YYYY-MM-DD HH:MM:SS`.' }),
}

export const exampleCursor = feedCursorOf({
  generation: 0,
  after_transaction: '823',
  after_client: 1,
  after_number: 7,
})

const example = {
  endpoint_id: 3,
  url: 'https://erp.example/parts/events',
  event_types: [],
  active: true,
  paused_reason: null,
  paused_at: null,
  cursor: exampleCursor,
  attempts: 0,
  failing_since: null,
  last_failure: null,
  next_attempt_at: null,
  previous_secret_until: null,
  created_at: '2026-11-15 09:30:00',
}

export const FeedEndpoint = Type.Object(properties, { $id: 'FeedEndpoint', examples: [example] })
export type FeedEndpoint = Static<typeof FeedEndpoint>

export const FeedEndpointWithSecret = Type.Object(
  {
    ...properties,
    secret: Type.String({ description: 'The key for verifying signatures. Shown only in this response.' }),
  },
  { $id: 'FeedEndpointWithSecret', examples: [{ ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }] },
)
export type FeedEndpointWithSecret = Static<typeof FeedEndpointWithSecret>

const positionColumns = { generation: int4, after_transaction: text, after_client: int8, after_number: int8 }

export const feedEndpointColumns = {
  endpoint_id: int8,
  url: text,
  event_types: textArray,
  active: bool,
  paused_reason: nullable(text),
  paused_at: nullable(datetime),
  ...positionColumns,
  attempts: int4,
  failing_since: nullable(datetime),
  last_failure: nullable(text),
  next_attempt_at: nullable(datetime),
  previous_secret_until: nullable(datetime),
  created_at: datetime,
}

/** What a worker needs of an endpoint that it has leased. */
export const leasedColumns = {
  endpoint_id: int8,
  url: text,
  event_types: textArray,
  secret: text,
  previous_secret: nullable(text),
  ...positionColumns,
  attempts: int4,
  is_tested: bool,
  is_due: bool,
}
export type LeasedFeedEndpoint = Values<typeof leasedColumns>

export const feedEndpointOf = (row: Values<typeof feedEndpointColumns>): FeedEndpoint => ({
  endpoint_id: row.endpoint_id,
  url: row.url,
  event_types: row.event_types,
  active: row.active,
  paused_reason: row.paused_reason,
  paused_at: row.paused_at,
  cursor: feedCursorOf(row),
  attempts: row.attempts,
  failing_since: row.failing_since,
  last_failure: row.last_failure,
  next_attempt_at: row.next_attempt_at,
  previous_secret_until: row.previous_secret_until,
  created_at: row.created_at,
})

export const feedEndpointsMax = 20 // Each reads the feed on its own.

/** What a message may have. A page of this size is built in about 10 ms. */
export const eventsPerMessageMax = 100

export const messageType = 'events'

const timestamp = Type.String({ format: 'date-time', description: 'When the message was made, in UTC.' })
const exampleTime = '2026-11-15T09:30:00.000Z'

export const FeedMessage = Type.Object(
  {
    type: Type.Literal(messageType, { description: 'A page of the feed.' }),
    timestamp,
    data: Type.Object(
      {
        events: Type.Array(refer(FeedEvent), {
          description: `The next events, oldest first; at least one, at most ${eventsPerMessageMax}.`,
        }),
        next_cursor: Type.String({ description: 'The cursor with which `GET /operator/v1/events/` continues.' }),
      },
      { description: 'As `data` of an answer of `GET /operator/v1/events/`.' },
    ),
  },
  {
    $id: 'FeedMessage',
    description: 'A page of the feed, in the form that the Standard Webhooks specification recommends.',
    examples: [
      {
        type: messageType,
        timestamp: exampleTime,
        data: { events: [exampleFeedEvent], next_cursor: exampleCursor },
      },
    ],
  },
)

export const FeedTest = Type.Object(
  {
    type: Type.Literal(testEventType, { description: 'Not an event.' }),
    timestamp,
    data: Type.Object(
      { endpoint_id: Type.Integer({ description: 'The endpoint.' }) },
      { description: 'The endpoint that is tested.' },
    ),
  },
  {
    $id: 'FeedTest',
    description: 'What `POST /operator/v1/feed-endpoints/{endpoint_id}/test/` sends.',
    examples: [{ type: testEventType, timestamp: exampleTime, data: { endpoint_id: 3 } }],
  },
)

/** A request of an operator for one of the endpoints. */
export interface FeedEndpointRequest {
  readonly actor: Operator
  readonly request_id: string
  readonly endpoint_id: number
}

export const tracesOf = ({ actor, request_id }: Pick<FeedEndpointRequest, 'actor' | 'request_id'>) => ({
  actor: operatorActor(actor),
  request_id,
})
