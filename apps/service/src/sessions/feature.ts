import type { Feature } from '../http/routing/route.ts'
import { sessionOperatorRoutes } from './operator-routes.ts'
import { SignedSession } from './session.ts'

export const sessions: Feature<{ config: Parameters<typeof sessionOperatorRoutes>[0] }> = {
  schemas: [SignedSession],
  operatorRoutes: ({ config }) => sessionOperatorRoutes(config),
}
