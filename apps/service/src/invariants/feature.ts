import type { Database } from 'pg-statements/database.ts'
import type { Feature } from '../http/routing/route.ts'
import { Violation } from './check-invariants.ts'
import { invariantOperatorRoutes } from './operator-routes.ts'

export const invariants: Feature<{ slowDb: Database }> = {
  schemas: [Violation],
  operatorRoutes: ({ slowDb }) => invariantOperatorRoutes(slowDb),
}
