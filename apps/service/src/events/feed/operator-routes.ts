import Type from 'typebox'
import { FeedEvent } from '../feed-event.ts'
import { feedStarts, followEvents, type FeedStart } from './follow-events.ts'
import { eventsScannedMax, listLog, LogEntry } from './list-log.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { choice, id, integer, optional, text, timeFrom, timeTo } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import type { StateLabels } from '../../orders/order.ts'

const waitSecondsMax = 10 // Shorter than proxy timeouts, and than the shutdown deadline of a process.

export const eventOperatorRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/log/',
    operationId: 'listLog',
    tag: 'Events',
    permission: 'view',
    summary: 'List what happened, and who did it',
    description: `The events of an order, a client, an operator, a type or a time, newest first, with old and new values. Filters can be combined. Each page examines at most ${eventsScannedMax} events of the most selective filter: it can have fewer entries than \`limit\`, or none, and still have a next page. Changes of the catalogue and of operators' keys have their own lists.`,
    query: {
      order_id: optional(id('Only events of this order.', exampleIds.order_id)),
      client_id: optional(id('Only events of this client.', exampleIds.client_id)),
      operator_id: optional(id('Only events that this operator caused.', 3)),
      actor: optional(
        text({
          description: 'Only events that this actor caused, as an entry names it. Of an operator, its id counts.',
          example: 'key 17',
        }),
      ),
      event_type: optional(text({ description: 'Only events of this type.', example: 'order.state_changed' })),
      date_from: optional(
        timeFrom({ description: 'Only events of this day or this time, or later.', example: '2026-11-01' }),
      ),
      date_to: optional(
        timeTo({
          description: 'Only events of this day or this time, or earlier. Includes the whole day or second.',
          example: '2026-11-30',
        }),
      ),
      ...pageFields,
    },
    data: refer(LogEntry),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listLog(db, query, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/events/',
    operationId: 'followEvents',
    tag: 'Events',
    permission: 'view',
    summary: 'Follow the events of all clients',
    description:
      'The events of all clients in one fixed order; the events of each client come in the order of their numbers. Send the `next_cursor` of the last answer with the next request, and nothing is missed or repeated. Without a cursor the feed starts with the oldest event still kept, or with `from=now` after those that it shows now. A cursor whose next events have expired is refused.',
    query: {
      ...pageFields,
      from: optional(
        choice<FeedStart>(feedStarts, {
          description:
            'Where to start without a cursor: with the oldest event still kept, or after those that the feed shows now.',
          example: 'now',
        }),
      ),
      wait: optional(
        integer({
          min: 0,
          max: waitSecondsMax,
          description: 'How many seconds to wait for an event if there is none yet.',
          example: 10,
        }),
      ),
    },
    data: Type.Object({
      events: Type.Array(refer(FeedEvent), {
        description: 'The next events, oldest first; empty if there are none yet.',
      }),
      next_cursor: Type.String({ description: 'The cursor of the next request. Set even if there are no events.' }),
    }),
    refusals: ['feed_expired'],
    handle: ({ db, query, page }) => followEvents(db, stateLabels, { page, wait: query.wait, from: query.from }),
  }),
]
