import type { Feature } from '../http/routing/route.ts'
import { metadataRoutes } from './operator-routes.ts'

export const metadata: Feature = {
  schemas: [],
  operatorRoutes: () => metadataRoutes,
}
