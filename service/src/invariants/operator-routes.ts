import Type from 'typebox'
import { invariantsCheck, Violation } from './check-invariants.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

export const systemOperatorRoutes = (patient: Database): Route[] => {
  const check = invariantsCheck(patient)
  return [
    operatorRoute({
      method: 'GET',
      path: '/operator/v1/invariants/',
      operationId: 'checkInvariants',
      tag: 'Operator: system',
      permission: 'administer',
      summary: 'Check the invariants',
      description:
        'Reads the whole database and answers with everything that should not be: an empty list when all is well, and of each kind at most 20 rows with one more that counts the rest. With millions of orders it takes minutes, and nothing is sent before it is done: let no proxy on the way give up sooner than after 10 minutes, at which the service itself does (503 `busy`). Whoever hangs up does not stop it; whoever asks while a check is under way in the same process is given its result.',
      data: Type.Array(refer(Violation)),
      slow: true,
      refusals: [],
      handle: check,
    }),
  ]
}
