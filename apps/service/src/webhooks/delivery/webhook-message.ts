/** What an endpoint receives, as the API reference shows it. `webhookMessage` builds it. */
import Type from 'typebox'
import { testEventType } from '../webhook.ts'
import { Event, exampleEvent } from '../../events/event.ts'
import { eventTypeWords } from '../../events/event-types.ts'
import { refer, word } from '../../vocabulary/schema-parts.ts'

const timestamp = Type.String({ format: 'date-time', description: 'When it happened, in UTC.' })
const exampleTime = '2026-11-15T09:30:00.000Z'

export const WebhookMessage = Type.Object(
  {
    type: word(eventTypeWords, 'The type of the event.'),
    timestamp,
    data: refer(Event),
  },
  {
    $id: 'WebhookMessage',
    description: 'An event, in the form that the Standard Webhooks specification recommends.',
    examples: [{ type: 'order.created', timestamp: exampleTime, data: exampleEvent }],
  },
)

export const WebhookTest = Type.Object(
  {
    type: Type.Literal(testEventType, { description: 'Not an event, and without a number.' }),
    timestamp,
    data: Type.Object(
      { webhook_id: Type.Integer({ description: 'The endpoint.' }) },
      { description: 'The endpoint that is tested.' },
    ),
  },
  {
    $id: 'WebhookTest',
    description: 'What `PUT /api/v1/webhooks/{webhook_id}/test/` sends.',
    examples: [{ type: testEventType, timestamp: exampleTime, data: { webhook_id: 41 } }],
  },
)
