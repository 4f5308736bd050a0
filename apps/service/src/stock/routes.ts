/** The stocks that serve a client. */
import Type from 'typebox'
import { listStocks, Stock } from './stock.ts'
import { lookupSeconds } from '../http/routing/cache.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

export const stockRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/stocks/',
    operationId: 'listStocks',
    cacheSeconds: lookupSeconds.maintained,
    tag: 'Lookups',
    summary: 'List stocks',
    description: 'The stocks that serve the client, the preferred one first.',
    data: Type.Array(refer(Stock)),
    refusals: [],
    handle: ({ db, actor }) => listStocks(db, actor),
  }),
]
