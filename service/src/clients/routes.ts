import Type from 'typebox'
import { listContracts, Contract } from './list-contracts.ts'
import { route, type Route } from '../http/routing/route.ts'
import type { Database } from 'pg-statements/database.ts'
import { refer } from '../schema-ref.ts'

export const clientRoutes = (db: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/contracts/',
    operationId: 'listContracts',
    tag: 'Lookups',
    summary: 'List contracts',
    description: "The client's contracts. Exactly one is the default.",
    data: Type.Array(refer(Contract)),
    refusals: [],
    handle: ({ actor }) => listContracts(db, actor),
  }),
]
