import Type from 'typebox'
import { Event } from './event.ts'
import { readEvents } from './read-events.ts'
import type { WaitingReaders } from './waiting-readers.ts'
import { idMax, integer, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import type { StateLabels } from '../orders/order.ts'

const waitSecondsMax = 20 // Shorter than proxy timeouts, and than the keep-alive of a silent connection.

export const eventRoutes = (readers: WaitingReaders, { stateLabels }: { stateLabels: StateLabels }): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/events/',
    operationId: 'readEvents',
    tag: 'Events',
    scope: 'events:read',
    summary: 'Read the events after a number',
    description:
      'Events come in the order of their numbers, which have no gaps. Store the `event_number` of the last event that you processed and send it as `after`: nothing is missed or repeated, so there is no cursor. With `wait`, the answer comes as soon as an event happens, or empty after that many seconds; then send the request again.',
    query: {
      after: optional(
        integer({
          min: 0,
          max: idMax,
          description:
            'The number of the last event that you know. Without it, the answer starts with the oldest event still kept.',
          example: 1,
        }),
      ),
      limit: pageFields.limit,
      wait: optional(
        integer({
          min: 0,
          max: waitSecondsMax,
          description: 'How many seconds to wait for an event if there is none yet.',
          example: 5,
        }),
      ),
    },
    data: Type.Array(refer(Event), { description: 'The next events, oldest first; empty if there are none yet.' }),
    refusals: ['events_expired', 'event_number_ahead'],
    handle: ({ db, actor, query, whenLeft }) => readEvents({ db, readers, stateLabels }, actor, { ...query, whenLeft }),
  }),
]
