import Type from 'typebox'
import { sharedInvariantsCheck, Violation } from './check-invariants.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'

export const invariantOperatorRoutes = (slowDb: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/invariants/',
    operationId: 'checkInvariants',
    tag: 'System',
    permission: 'administer',
    summary: 'Check the invariants',
    description:
      'Reads the whole database and returns every violation of an invariant: an empty list when all invariants hold. At most 20 violations of each invariant are listed; one more entry counts the rest. With millions of orders this takes minutes, and nothing is sent until it is done, so a proxy in between must wait for 10 minutes. After that the service gives up with 503 `busy`. Hanging up does not stop the check. Requests to the same process while a check is running get its result.',
    data: Type.Array(refer(Violation)),
    slow: true,
    refusals: [],
    handle: sharedInvariantsCheck(slowDb),
  }),
]
