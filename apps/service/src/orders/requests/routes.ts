/** What a client may ask for after it has ordered: another date, cancellation, another quantity. */
import { Adjustment } from '../adjustment.ts'
import { cancelOrder } from './cancel-order.ts'
import { changeShippingDate } from './change-shipping-date.ts'
import { CancelledOrder, Order } from '../order.ts'
import { type OrderSettings } from '../reading/read-orders.ts'
import { requestAdjustment } from './request-adjustment.ts'
import { withdrawAdjustment } from './withdraw-adjustment.ts'
import { endedIds, exampleIds } from '../../vocabulary/example-ids.ts'
import { dayAhead, id, integer, optional, quantityMax, text } from '../../input/fields.ts'
import { route, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import { order_id } from '../path-ids.ts'

const reasonLengthMax = 200 // One line in an operator's inbox.

const order_item_id = id('The line of the order.', exampleIds.order_item_id)

export const requestRoutes = ({ stateLabels, shippingDaysAheadMax }: OrderSettings): Route[] => [
  route({
    method: 'PATCH',
    path: '/api/v1/orders/{order_id}/',
    operationId: 'changeShippingDate',
    tag: 'Orders',
    scope: 'orders:write',
    summary: 'Change the shipping date of an order',
    description: `The date must lie between the stock's earliest shipping day and ${shippingDaysAheadMax} days from today. Requesting the current shipping date again changes nothing.`,
    params: { order_id },
    form: { shipping_date: dayAhead({ description: 'The new shipping date.', example: '2026-12-01', daysAhead: 7 }) },
    data: refer(Order),
    refusals: ['order_not_found', 'order_not_reschedulable', 'shipping_date_refused', 'order_history_full'],
    handle: ({ db, actor, params, form, request_id }) =>
      changeShippingDate(
        db,
        actor,
        { ...params, ...form, request_id, days_ahead_max: shippingDaysAheadMax },
        stateLabels,
      ),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/orders/{order_id}/',
    operationId: 'cancelOrder',
    tag: 'Orders',
    scope: 'orders:write',
    summary: 'Cancel an order',
    description:
      'Requests cancellation. The order stays in the state `zayavka-na-otmen` until the distributor decides. An order of which a part has been shipped can no longer be cancelled. Repeating the request changes nothing and returns the same response.',
    params: { order_id: id('The order.', endedIds.order_id) },
    data: refer(CancelledOrder),
    refusals: ['order_not_found', 'order_not_cancellable', 'order_partly_shipped'],
    handle: ({ db, actor, params, request_id }) => cancelOrder(db, actor, { ...params, request_id }, stateLabels),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/orders/{order_id}/items/{order_item_id}/',
    operationId: 'requestAdjustment',
    tag: 'Order items',
    scope: 'orders:write',
    summary: 'Request an adjustment',
    description:
      'Requests a change of the quantity of a line. The line stays unchanged until the distributor accepts. The answer is always an adjustment with `WAIT`. Repeating the request returns the open adjustment; a request with another quantity supersedes it. A request for the quantity that the line has needs no decision: it is accepted at once, and supersedes an open one.',
    params: { order_id, order_item_id },
    form: {
      quantity: integer({
        min: 0,
        max: quantityMax,
        description: 'The requested quantity; 0 removes the line, and an order without lines is cancelled.',
        example: 2,
      }),
      reason: optional(
        text({ max: reasonLengthMax, description: 'The reason, for the distributor.', example: 'Ordered twice.' }),
      ),
    },
    data: refer(Adjustment),
    refusals: ['order_not_found', 'order_item_not_found', 'order_not_adjustable'],
    handle: ({ db, actor, params, form, request_id }) =>
      requestAdjustment(db, actor, { ...params, ...form, request_id }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/orders/{order_id}/adjustments/{adjustment_id}/',
    operationId: 'withdrawAdjustment',
    tag: 'Order items',
    scope: 'orders:write',
    summary: 'Withdraw an adjustment',
    description:
      'Withdraws a request that has not been decided: the adjustment becomes `CANCELED`. Repeating the request changes nothing and returns the same response.',
    params: { order_id, adjustment_id: id('The adjustment.', endedIds.adjustment_id) },
    data: refer(Adjustment),
    refusals: ['order_not_found', 'adjustment_not_found', 'adjustment_decided'],
    handle: ({ db, actor, params, request_id }) => withdrawAdjustment(db, actor, { ...params, request_id }),
  }),
]
