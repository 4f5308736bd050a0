/** An event as its client reads it, by GET and by webhook. */
import Type, { type Static } from 'typebox'
import { clientDataOf, type EventRow } from './event-data.ts'
import { clientEventTypes } from './event-types.ts'
import type { StateLabels } from '../orders/order.ts'

export const Event = Type.Object(
  {
    event_number: Type.Integer({ description: "The number of the event; a client's numbers have no gaps." }),
    event_type: Type.String({
      description: 'What happened. Ignore types that you do not know: new ones may be added.',
    }),
    event_datetime: Type.String({
      description: 'When it happened, `YYYY-MM-DD HH:MM:SS`.',
      examples: ['2026-11-15 09:30:00'],
    }),
    order_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The order it happened to, if any.' }),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'For `order.…` the Order and for `adjustment.…` the Adjustment, as it was at that moment; for other types the fields that the catalogue of event types names.',
      },
    ),
  },
  {
    $id: 'Event',
    additionalProperties: false,
    examples: Object.entries(clientEventTypes).map(([event_type, { example }], i) => ({
      event_number: i + 1,
      event_type,
      event_datetime: '2026-11-15 10:00:00',
      order_id: example['order_id'] ?? example['adjustment_order_id'] ?? null,
      data: example,
    })),
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
