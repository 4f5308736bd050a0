/** An event as operators read it in the feed of all clients. */
import Type, { type Static } from 'typebox'
import { eventDataOf, type EventRow } from './event-data.ts'
import { eventTypeWords } from './event-types.ts'
import { exampleOrder, type StateLabels } from '../orders/order.ts'
import { operatorIdOf } from '../identity/actor.ts'
import { integerOrNull, word } from '../vocabulary/schema-parts.ts'

export const exampleFeedEvent = {
  client_id: 1,
  event_number: 7,
  event_type: 'order.created',
  event_datetime: '2026-11-15 09:30:00',
  order_id: 5012,
  data: exampleOrder,
  actor: 'operator 3 key 3, Anna Berg',
  operator_id: 3,
  request_id: 'pC2k9QxZ-1f',
}

export const FeedEvent = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client it happened to.' }),
    event_number: Type.Integer({ description: "The number of the event; a client's numbers have no gaps." }),
    event_type: word(eventTypeWords, 'What happened.'),
    event_datetime: Type.String({ description: 'When it happened, `YYYY-MM-DD HH:MM:SS`.' }),
    order_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The order it happened to, if any.' }),
    data: Type.Object({}, { additionalProperties: true }), // event-union.ts describes it for each type.
    actor: Type.String({
      description:
        'Who caused it: a key of the client; an operator by id, key or session, and present name; or the worker.',
    }),
    operator_id: integerOrNull('The operator who caused it; null for anybody else.'),
    request_id: Type.String({ description: 'The X-Request-Id of the request that caused it.' }),
  },
  {
    $id: 'FeedEvent',
    examples: [exampleFeedEvent],
  },
)
export type FeedEvent = Static<typeof FeedEvent>

type FeedRow = EventRow & Pick<FeedEvent, 'client_id' | 'actor' | 'request_id'>

export const feedEventOf = (row: FeedRow, labels: StateLabels): FeedEvent => ({
  client_id: row.client_id,
  event_number: row.event_number,
  event_type: row.event_type,
  event_datetime: row.event_datetime,
  order_id: row.order_id,
  data: eventDataOf(row, labels),
  actor: row.actor,
  operator_id: operatorIdOf(row.actor),
  request_id: row.request_id,
})
