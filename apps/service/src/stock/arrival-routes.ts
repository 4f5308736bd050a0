/** Operator routes for what a stock expects of an item. */
import { arrivalsField, ExpectedArrivals, readArrivals, setArrivals } from './arrivals.ts'
import { operatorActor } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { id } from '../input/fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const params = { stock_id: id('The stock.', exampleIds.stock_id), item_id: id('The item.', 1024) }

export const arrivalRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stock-levels/{stock_id}/{item_id}/arrivals/',
    operationId: 'readArrivals',
    urgency: 'others',
    tag: 'Catalogue',
    permission: 'view',
    summary: 'Read the expected arrivals of a stock level',
    params,
    data: refer(ExpectedArrivals),
    refusals: ['stock_not_found', 'item_not_found'],
    handle: ({ db, params: level }) => readArrivals(db, level),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stock-levels/{stock_id}/{item_id}/arrivals/',
    operationId: 'setArrivals',
    tag: 'Catalogue',
    permission: 'catalogue',
    trace: 'catalogue stock-level',
    summary: 'Set the expected arrivals of a stock level',
    description:
      'Replaces all of them. Clients see them with `include=promise`, with the day on which the stock can ship a quantity. They change no stock: record goods that have arrived in the level, and send the list without them. An arrival counts until its day has passed; it stays in the list until the list is replaced. A stock that expects an item carries it.',
    params,
    form: { arrivals: arrivalsField },
    data: refer(ExpectedArrivals),
    refusals: ['stock_not_found', 'item_not_found'],
    handle: ({ db, actor, params: level, form, request_id }) =>
      setArrivals(db, { ...level, ...form, actor: operatorActor(actor), request_id }),
  }),
]
