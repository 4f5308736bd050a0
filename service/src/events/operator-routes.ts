import Type from 'typebox'
import { FeedEvent } from './feed-event.ts'
import { followEvents } from './follow-events.ts'
import { integer, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'

const waitSecondsMax = 10 // Shorter than what proxies wait for, and than the time a stopping process has.

export const eventOperatorRoutes = (db: Database, { stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/events/',
    operationId: 'followEvents',
    tag: 'Operator: events',
    permission: 'view',
    summary: 'Follow the events of all clients',
    description:
      'In one order that never changes: ask with the cursor of the answer before, and nothing is missed or repeated. Without a cursor it begins with the oldest; with one after which events are kept no longer, it is refused. Each client’s events come in the order of their numbers.',
    query: {
      ...pageFields,
      wait: optional(
        integer({
          min: 0,
          max: waitSecondsMax,
          description: 'How many seconds to wait for an event when there is none yet.',
          example: 10,
        }),
      ),
    },
    data: Type.Object({
      events: Type.Array(refer(FeedEvent), {
        description: 'The next ones, oldest first; empty when there are none yet.',
      }),
      next_cursor: Type.String({ description: 'The cursor for the next request; also when there were no events.' }),
    }),
    refusals: ['feed_expired'],
    handle: ({ query }) => followEvents(db, stateLabels, query),
  }),
]
