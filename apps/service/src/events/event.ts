/** An event as its client reads it, by GET and by webhook. */
import Type, { type Static } from 'typebox'
import { clientDataOf, type EventRow } from './event-data.ts'
import { eventTypeWords } from './event-types.ts'
import { exampleOrder, type StateLabels } from '../orders/order.ts'
import { word } from '../vocabulary/schema-parts.ts'

export const exampleEvent = {
  event_number: 7,
  event_type: 'order.created',
  event_datetime: '2026-11-15 09:30:00',
  order_id: 5012,
  data: exampleOrder,
}

export const Event = Type.Object(
  {
    event_number: Type.Integer({ description: "The number of the event; a client's numbers have no gaps." }),
    event_type: word(eventTypeWords, 'What happened.'),
    event_datetime: Type.String({
      description: 'When it happened, `YYYY-MM-DD HH:MM:SS`.',
      examples: ['2026-11-15 09:30:00'],
    }),
    order_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The order it happened to, if any.' }),
    data: Type.Object({}, { additionalProperties: true }), // event-union.ts describes it for each type.
  },
  {
    $id: 'Event',
    examples: [exampleEvent],
  },
)
export type Event = Static<typeof Event>

export const eventOf = (row: EventRow, labels: StateLabels): Event => ({
  event_number: row.event_number,
  event_type: row.event_type,
  event_datetime: row.event_datetime,
  order_id: row.order_id,
  data: clientDataOf(row, labels),
})
