/** The requests that webhook endpoints receive, for the `webhooks` of the OpenAPI document. */
import type { Publisher } from './publish-schema.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import { FeedMessage, FeedTest } from '../webhooks/feed-endpoints/feed-endpoint.ts'
import { WebhookMessage, WebhookTest } from '../webhooks/delivery/webhook-message.ts'

export const describeWebhooks = (publish: Publisher['publish']): object => ({
  event: {
    post: {
      tags: ['Webhooks'],
      operationId: 'receiveEvent',
      summary: 'An event happened',
      description:
        'Sent to every endpoint that receives this event type, in the order of the event numbers, at least once. Any status from 200 to 299 accepts it; anything else is retried with backoff for three days. 410 pauses the endpoint.',
      security: [],
      parameters: signature,
      requestBody: jsonBody(publish(refer(WebhookMessage))),
      responses,
    },
  },
  test: {
    post: {
      tags: ['Webhooks'],
      operationId: 'receiveTest',
      summary: 'A test was requested',
      description: 'Sent once, also to a paused endpoint, and not retried.',
      security: [],
      parameters: signature,
      requestBody: jsonBody(publish(refer(WebhookTest))),
      responses,
    },
  },
})

/** What the endpoints of the operators' feed receive. */
export const describeFeedMessages = (publish: Publisher['publish']): object => ({
  events: {
    post: {
      tags: ['Events'],
      operationId: 'receiveFeed',
      summary: 'The next events of the feed',
      description:
        'Sent to every endpoint of the feed, in the order of the feed, each event at least once. Any status from 200 to 299 accepts it; anything else is retried with backoff for three days, with the events since. 410 pauses the endpoint.',
      security: [],
      parameters: signature,
      requestBody: jsonBody(publish(refer(FeedMessage))),
      responses,
    },
  },
  test: {
    post: {
      tags: ['Events'],
      operationId: 'receiveFeedTest',
      summary: 'A test was requested',
      description: 'Sent once, also to a paused endpoint, and not retried.',
      security: [],
      parameters: signature,
      requestBody: jsonBody(publish(refer(FeedTest))),
      responses,
    },
  },
})

const header = (name: string, description: string, example: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const signature = [
  header('webhook-id', 'Identifies the message. A repeated message has the same id.', 'evt_41_207'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1794735000'),
  header(
    'webhook-signature',
    'Signatures of the Standard Webhooks specification, separated by spaces: one for each valid secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const jsonBody = (schema: object): object => ({ required: true, content: { 'application/json': { schema } } })

const responses = {
  '2XX': { description: 'Accepted. The body of the response is not read.' },
  410: { description: 'The endpoint is gone: it is paused, and nothing more is sent.' },
}
