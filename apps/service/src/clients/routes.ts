import Type from 'typebox'
import { ContractDetail, listContracts } from './contracts/list-contracts.ts'
import { lookupSeconds } from '../http/routing/cache.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

export const clientRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/contracts/',
    operationId: 'listContracts',
    cacheSeconds: lookupSeconds.live,
    tag: 'Lookups',
    summary: 'List contracts',
    description:
      "The client's contracts, with their terms and what is left of their limits. Exactly one is the default.",
    data: Type.Array(refer(ContractDetail)),
    refusals: [],
    handle: ({ db, actor }) => listContracts(db, actor),
  }),
]
