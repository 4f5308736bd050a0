import Type from 'typebox'
import { Event } from './event.ts'
import { readEvents } from './read-events.ts'
import type { WaitingReaders } from './waiting-readers.ts'
import { idMax, integer, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { StateLabels } from '../orders/order.ts'
import type { Database } from 'pg-statements/database.ts'

const waitSecondsMax = 20 // Shorter than what proxies wait for, and than a silent connection is kept.

export const eventRoutes = (
  db: Database,
  readers: WaitingReaders,
  { stateLabels }: { stateLabels: StateLabels },
): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/events/',
    operationId: 'readEvents',
    tag: 'Events',
    scope: 'events:read',
    summary: 'Read the events after a number',
    description:
      'In the order of their numbers, which count without gaps. Keep the `event_number` of the last one that you have dealt with, and ask with it as `after`: nothing is missed or repeated, so there is no cursor. With `wait` the answer comes as soon as something happens, or empty when the time is over; then ask again.',
    query: {
      after: optional(
        integer({
          min: 0,
          max: idMax,
          description: 'The number of the last event that is known; if absent, it begins with the oldest still there.',
          example: 41,
        }),
      ),
      limit: pageFields.limit,
      wait: optional(
        integer({
          min: 0,
          max: waitSecondsMax,
          description: 'How many seconds to wait for an event when there is none yet.',
          example: 20,
        }),
      ),
    },
    data: Type.Array(refer(Event), { description: 'The next ones, oldest first; empty when there are none yet.' }),
    refusals: ['events_expired', 'event_number_ahead'],
    handle: ({ actor, query, whenLeft }) => readEvents({ db, readers, stateLabels }, actor, { ...query, whenLeft }),
  }),
]
