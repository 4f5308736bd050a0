import type { Feature } from '../http/routing/route.ts'
import type { StateLabels } from '../orders/order.ts'
import { Event } from './event.ts'
import { FeedEvent } from './feed-event.ts'
import { LogEntry } from './feed/list-log.ts'
import { eventOperatorRoutes } from './feed/operator-routes.ts'
import { eventRoutes } from './routes.ts'
import type { WaitingReaders } from './waiting-readers.ts'

export const events: Feature<{ config: { stateLabels: StateLabels }; readers: WaitingReaders }> = {
  schemas: [Event, FeedEvent, LogEntry],
  clientRoutes: ({ config, readers }) => eventRoutes(readers, config),
  operatorRoutes: ({ config }) => eventOperatorRoutes(config),
}
