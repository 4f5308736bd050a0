/** The operator route that records a count of goods, with the orders that it affects. */
import { countStock, StockCount } from './count-stock.ts'
import { operatorActor } from '../identity/actor.ts'
import { expectedOnHand, onHand } from './set-stock-level.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { id, text } from '../input/fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

export const countRoutes: readonly Route[] = [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/stock-levels/{stock_id}/{item_id}/count/',
    operationId: 'countStock',
    tag: 'Catalogue',
    permission: 'catalogue',
    trace: 'catalogue stock-level',
    summary: 'Record a count of goods',
    description:
      'Sets the level to what was counted. If orders have reserved more, the rest is recorded as a shortage: nothing new can be reserved, arrivals cover the shortage first, and the response lists the orders that the stock can no longer serve. The change log keeps the figures before and after, and the reason.',
    params: { stock_id: id('The stock.', exampleIds.stock_id), item_id: id('The item.', 1024) },
    form: {
      on_hand: onHand,
      reason: text({ max: 500, description: 'Why the level is corrected.', example: 'Damaged by water.' }),
      expected: expectedOnHand,
    },
    takesIdempotencyKey: true,
    data: refer(StockCount),
    refusals: ['stock_not_found', 'item_not_found', 'expected_differs', 'idempotency_key_used'],
    handle: ({ db, actor, params, form, request_id, retry }) =>
      countStock(db, { ...params, ...form, actor: operatorActor(actor), request_id }, retry),
  }),
]
