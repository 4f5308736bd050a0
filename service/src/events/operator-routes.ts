import Type from 'typebox'
import { FeedEvent } from './feed-event.ts'
import { followEvents } from './follow-events.ts'
import { integer, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { StateLabels } from '../orders/order.ts'

const waitSecondsMax = 10 // Shorter than proxy time-outs, and than the shutdown deadline of a process.

export const eventOperatorRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/events/',
    operationId: 'followEvents',
    tag: 'Events',
    permission: 'view',
    summary: 'Follow the events of all clients',
    description:
      'The events of all clients in one fixed order; the events of each client come in the order of their numbers. Send the `next_cursor` of the last answer with the next request, and nothing is missed or repeated. Without a cursor the feed starts with the oldest event still kept. A cursor whose next events have expired is refused.',
    query: {
      ...pageFields,
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
    handle: ({ db, query, page }) => followEvents(db, stateLabels, { page, wait: query.wait }),
  }),
]
