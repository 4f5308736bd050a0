import { describeService, ServiceInfo, type ServiceSettings } from './describe-service.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

export const aboutRoutes = (settings: ServiceSettings): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/service/',
    operationId: 'describeService',
    tag: 'Lookups',
    summary: 'Describe the service',
    description:
      'The time zone and the time of the service, its limits, and the client, contact, scopes and rate limit of your key. Use it to configure a program and to check a key.',
    data: refer(ServiceInfo),
    refusals: [],
    handle: ({ db, actor }) => describeService(db, actor, settings),
  }),
]
