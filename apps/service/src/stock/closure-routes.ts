/** Operator routes for the days on which a stock does not ship. */
import { closedDay, Closure, listClosures, setClosure } from './closures.ts'
import { operatorActor } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { id } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const stock_id = id('The stock.', exampleIds.stock_id)
const date = closedDay

export const closureRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stocks/{stock_id}/closures/',
    operationId: 'listClosures',
    tag: 'Catalogue',
    permission: 'view',
    summary: 'List the days on which a stock is closed',
    description: 'By day. Closed weekdays are a property of the stock and are not listed.',
    params: { stock_id },
    query: pageFields,
    data: refer(Closure),
    paged: true,
    refusals: ['stock_not_found'],
    handle: ({ db, params, page }) => listClosures(db, params.stock_id, page),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stocks/{stock_id}/closures/{date}/',
    operationId: 'closeStock',
    tag: 'Catalogue',
    permission: 'administer',
    trace: 'catalogue stock',
    summary: 'Close a stock on a day',
    description:
      'The earliest shipping day skips it. Shipping dates that orders already have stay as they are. A day that is closed already stays so.',
    params: { stock_id, date },
    data: refer(Closure),
    refusals: ['stock_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      setClosure(db, { ...params, closed: true, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/stocks/{stock_id}/closures/{date}/',
    operationId: 'openStock',
    tag: 'Catalogue',
    permission: 'administer',
    trace: 'catalogue stock',
    summary: 'Open a stock on a day again',
    description: 'A day that is not closed stays so.',
    params: { stock_id, date },
    data: refer(Closure),
    refusals: ['stock_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      setClosure(db, { ...params, closed: false, actor: operatorActor(actor), request_id }),
  }),
]
