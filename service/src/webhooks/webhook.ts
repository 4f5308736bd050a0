import Type, { type Static } from 'typebox'
import { bool, datetime, int4, int8, nullable, text, textArray } from 'pg-statements/types.ts'
import type { Values } from 'pg-statements/statement.ts'

const time = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const properties = {
  webhook_id: Type.Integer({ description: 'Names the endpoint in paths.' }),
  url: Type.String({ description: 'Where events are sent to, in normal form.' }),
  event_types: Type.Array(Type.String(), { description: 'The types that are sent; empty for all.' }),
  active: Type.Boolean({ description: 'Whether events are sent; false while it is paused.' }),
  paused_reason: Type.Union([Type.String(), Type.Null()], {
    description:
      'Why it is paused: `owner` (paused by the client), `operator` (by the distributor), `gone` (it answered 410), `failing` (no delivery has succeeded for three days). Null while it is active.',
  }),
  paused_text: Type.String({ description: 'What the distributor says about it; empty for nothing.' }),
  paused_at: time('Since when it is paused.'),
  delivered_event_number: Type.Integer({
    description:
      'Every event up to this number has arrived, or is of a type that is not sent, or had expired before it could be sent: then the log of deliveries says so.',
  }),
  attempts: Type.Integer({
    description: 'How often in a row the next event could not be delivered; 0 when all is well.',
  }),
  failing_since: time('Since when deliveries have failed; null when all is well.'),
  last_failure: Type.Union([Type.String(), Type.Null()], {
    description: 'What came of the last failed attempt: a status, or a word such as `timeout`. Null when all is well.',
  }),
  next_attempt_at: time(
    'When the next event is tried again; null when nothing waits for a time, and while it is paused.',
  ),
  previous_secret_until: time('Until when the secret before the last rotation signs as well; null when there is none.'),
  created_at: Type.String({ description: 'When it was made, `YYYY-MM-DD HH:MM:SS`.' }),
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

export const Webhook = Type.Object(properties, { $id: 'Webhook', additionalProperties: false, examples: [example] })
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...properties,
    secret: Type.String({ description: 'Verifies signatures. Shown this once.' }),
  },
  {
    $id: 'WebhookWithSecret',
    additionalProperties: false,
    examples: [{ ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const OperatorWebhook = Type.Object(
  { client_id: Type.Integer({ description: 'Whose it is.' }), ...properties },
  { $id: 'OperatorWebhook', additionalProperties: false, examples: [{ client_id: 12, ...example }] },
)
export type OperatorWebhook = Static<typeof OperatorWebhook>

export const WebhookDelivery = Type.Object(
  {
    delivery_id: Type.Integer({ description: 'Names the entry.' }),
    event_number: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The event; null for a test. With the error `expired` the last of those that were passed over.',
    }),
    event_type: Type.String({ description: 'Its type; empty where none could be read.' }),
    attempt: Type.Integer({
      description: '1 for the first attempt to deliver this event; 0 where none was made, because it had expired.',
    }),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'What the endpoint answered; null for nothing.' }),
    error: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why no answer came: `timeout`, `not_reachable`, `name_not_resolved`, `connection_lost`, `tls_failed`, `not_http` or `address_not_allowed`; `internal` when the service itself could not make the message. `expired`: these events were kept no longer, and were not sent.',
    }),
    duration_ms: Type.Integer({ description: 'How long it took.' }),
    attempted_at: Type.String({ description: 'When, `YYYY-MM-DD HH:MM:SS`.' }),
  },
  {
    $id: 'WebhookDelivery',
    additionalProperties: false,
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

export const secretColumns = { ...webhookColumns, secret: text }

/** What the client sees: not its own number. */
export function webhookOf<W extends Values<typeof webhookColumns>>(row: W): Omit<W, 'client_id'> {
  const { client_id: _, ...webhook } = row
  return webhook
}

export const webhooksPerClientMax = 20 // Each of them costs a request an event. The constraint webhook_limit_reached holds it.
