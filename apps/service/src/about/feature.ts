import packageJson from '../../package.json' with { type: 'json' }
import type { Feature } from '../http/routing/route.ts'
import { ServiceInfo, type ServiceSettings } from './describe-service.ts'
import { aboutRoutes } from './routes.ts'

export const about: Feature<{ config: Omit<ServiceSettings, 'serviceVersion'> }> = {
  schemas: [ServiceInfo],
  clientRoutes: ({ config }) => aboutRoutes({ ...config, serviceVersion: packageJson.version }),
}
