import Type, { type Static } from 'typebox'
import { bool, datetime, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import type { Values } from 'pg-statements/statement.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import { mayAdminister, type Actor, type Operator } from '../identity/actor.ts'
import { eventTypeWords } from '../events/event-types.ts'
import { pausedReasons } from '../events/own-event-data.ts'
import { word, wordOrNull, type WordList } from '../vocabulary/schema-parts.ts'

const time = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const deliveryErrors: WordList = {
  name: 'DeliveryError',
  meaning:
    'Why an endpoint gave no response. `internal`: the service could not build the message. `expired`: events were deleted before they could be sent.',
  words: [
    'timeout',
    'not_reachable',
    'name_not_resolved',
    'connection_lost',
    'tls_failed',
    'not_http',
    'address_not_allowed',
    'internal',
    'expired',
  ],
}

export const testEventType = 'webhook.test'

const deliveredTypes: WordList = {
  name: 'DeliveredEventType',
  meaning: 'The type of a delivered event, or `webhook.test`; empty if the event could not be read.',
  words: [...eventTypeWords.words, testEventType, ''],
}

const properties = {
  webhook_id: Type.Integer({ description: 'The id of the endpoint, used in paths.' }),
  url: Type.String({ description: 'The URL that events are sent to, normalised.' }),
  event_types: Type.Array(word(eventTypeWords, 'An event type.'), {
    description: 'The event types that are sent; empty means all.',
  }),
  active: Type.Boolean({ description: 'Whether events are sent; false while the endpoint is paused.' }),
  paused_reason: wordOrNull(pausedReasons, 'Why the endpoint is paused; null while it is active.'),
  paused_text: Type.String({ description: 'The reason given by the distributor; empty if there is none.' }),
  paused_at: time('When the endpoint was paused; null while it is active.'),
  delivered_event_number: Type.Integer({
    description:
      'Every event up to this number was delivered, or has a type that is not sent, or expired before it could be sent. The delivery log has an entry for expired events.',
  }),
  attempts: Type.Integer({
    description: 'Consecutive failed attempts to deliver the next event; 0 when deliveries succeed.',
  }),
  failing_since: time('When deliveries started to fail; null when they succeed.'),
  last_failure: Type.Union([Type.String(), Type.Null()], {
    description:
      'The result of the last failed attempt: a status, or an error such as `timeout`. Null when deliveries succeed.',
  }),
  next_attempt_at: time('When the next event is retried; null if no retry is scheduled or the endpoint is paused.'),
  previous_secret_until: time('Until when messages are also signed with the previous secret; null if there is none.'),
  created_at: Type.String({ description: 'When the endpoint was created, `YYYY-MM-DD HH:MM:SS`.' }),
}

const example = {
  webhook_id: 41,
  url: 'https://dealer.example/hooks/orders',
  event_types: ['order.state_changed', 'adjustment.decided'],
  active: true,
  paused_reason: null,
  paused_text: '',
  paused_at: null,
  delivered_event_number: 207,
  attempts: 0,
  failing_since: null,
  last_failure: null,
  next_attempt_at: null,
  previous_secret_until: null,
  created_at: '2026-11-15 09:30:00',
}

export const Webhook = Type.Object(properties, { $id: 'Webhook', examples: [example] })
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...properties,
    secret: Type.String({ description: 'The key for verifying signatures. Shown only in this response.' }),
  },
  {
    $id: 'WebhookWithSecret',
    examples: [{ ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const OperatorWebhook = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client that owns the endpoint.' }),
    ...properties,
    url: Type.String({
      description:
        'The URL that events are sent to. It may contain a token, so only admins see all of it; for other roles it ends with `/…` after the host.',
    }),
  },
  { $id: 'OperatorWebhook', examples: [{ client_id: 1, ...example }] },
)
export type OperatorWebhook = Static<typeof OperatorWebhook>

export const WebhookDelivery = Type.Object(
  {
    delivery_id: Type.Integer({ description: 'The id of the entry.' }),
    event_number: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'The number of the event; null for a test event. With the error `expired`, the last event that was skipped.',
    }),
    event_type: word(deliveredTypes, 'The type of the event; empty if it could not be read.'),
    attempt: Type.Integer({
      description: '1 for the first attempt to deliver this event; 0 if none was made because it had expired.',
    }),
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The HTTP status of the response; null if there was none.',
    }),
    error: wordOrNull(deliveryErrors, 'Why there was no response; null if there was one.'),
    duration_ms: Type.Integer({ description: 'How long the attempt took.' }),
    attempted_at: Type.String({ description: 'When the attempt was made, `YYYY-MM-DD HH:MM:SS`.' }),
  },
  {
    $id: 'WebhookDelivery',
    examples: [
      {
        delivery_id: 90312,
        event_number: 208,
        event_type: 'order.state_changed',
        attempt: 2,
        status: 503,
        error: null,
        duration_ms: 187,
        attempted_at: '2026-11-15 09:31:07',
      },
    ],
  },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const webhookColumns = {
  client_id: int8,
  webhook_id: int8,
  url: text,
  event_types: textArray,
  active: bool,
  paused_reason: nullable(text),
  paused_text: text,
  paused_at: nullable(datetime),
  delivered_event_number: int8,
  attempts: int4,
  failing_since: nullable(datetime),
  last_failure: nullable(text),
  next_attempt_at: nullable(datetime),
  previous_secret_until: nullable(datetime),
  created_at: datetime,
}

export const webhookWithSecretColumns = { ...webhookColumns, secret: text }
export type WebhookWithSecretRow = Values<typeof webhookWithSecretColumns>

/** The endpoint as its owner sees it: without the client's id. */
export function webhookOf<W extends Values<typeof webhookColumns>>(row: W): Omit<W, 'client_id'> {
  const { client_id: _, ...webhook } = row
  return webhook
}

/** The endpoint as its owner sees it when its secret is new. */
export const webhookWithSecretOf = (row: WebhookWithSecretRow, box: SecretBox): WebhookWithSecret => ({
  ...webhookOf(row),
  secret: box.open(row.secret, row.client_id),
})

/** The endpoint as an operator sees it. */
export const operatorWebhookOf = (row: OperatorWebhook, operator: Operator): OperatorWebhook => ({
  ...row,
  url: mayAdminister(operator) ? row.url : `${new URL(row.url).origin}/…`,
})

/** A request of a client for one of its endpoints. */
export interface WebhookRequest {
  readonly actor: Actor
  readonly request_id: string
  readonly webhook_id: number
}

export const webhooksPerClientMax = 20 // Each costs a request per event. Constraint: webhook_limit_reached.
