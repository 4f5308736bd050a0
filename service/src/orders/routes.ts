import Type from 'typebox'
import { Adjustment } from './adjustment.ts'
import { cancelOrder } from './cancel-order.ts'
import { changeShippingDate } from './change-shipping-date.ts'
import { listOrderItems, OrderItem } from './list-order-items.ts'
import { CancelledOrder, Order, type StateLabels } from './order.ts'
import { placeOrderFields } from './order-input.ts'
import { orderStates } from './order-states.ts'
import { placeOrder } from './place-order.ts'
import { listAdjustments, readAdjustment } from './read-adjustments.ts'
import { listOrders, readOrder } from './read-orders.ts'
import { requestAdjustment } from './request-adjustment.ts'
import { day, id, integer, optional, quantityMax, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const order_id = id('The order.', 5012)
const order_item_id = id('The line of the order.', 20044)
const adjustment_id = id('The adjustment.', 88)

export const OrderStateRule = Type.Object(
  {
    state_id: Type.String({ description: 'The state id used in orders and history.' }),
    value: Type.String({ description: 'The label of the state.' }),
    cancellable: Type.Boolean({ description: 'Whether the client may request cancellation in this state.' }),
    reschedulable: Type.Boolean({ description: 'Whether the client may change the shipping date in this state.' }),
    adjustable: Type.Boolean({ description: 'Whether the client may request adjustments in this state.' }),
  },
  {
    $id: 'OrderStateRule',
    additionalProperties: false,
    examples: [{ state_id: 'new', value: 'New', cancellable: true, reschedulable: true, adjustable: true }],
  },
)

interface OrderSettings {
  readonly stateLabels: StateLabels
  readonly shippingDaysAheadMax: number
}

export const orderRoutes = (db: Database, { stateLabels, shippingDaysAheadMax }: OrderSettings): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/orders/',
    operationId: 'listOrders',
    tag: 'Orders',
    scope: 'orders:read',
    summary: 'List orders',
    description: 'Newest first. Filters can be combined. New orders do not shift the pages of a listing in progress.',
    query: {
      state: optional(
        text({ description: 'Only orders in this state; an unknown state matches none.', example: 'new' }),
      ),
      date_from: optional(day({ description: 'Only orders placed on this day or later.', example: '2026-11-01' })),
      date_to: optional(day({ description: 'Only orders placed on this day or earlier.', example: '2026-11-30' })),
      sku_code: optional(
        text({ description: 'Only orders with this article code, ignoring case.', example: 'BX-10234' }),
      ),
      ...pageFields,
    },
    data: refer(Order),
    paged: true,
    refusals: [],
    handle: ({ actor, query }) => listOrders(db, actor, query, stateLabels),
  }),
  route({
    method: 'GET',
    path: '/api/v1/orders/{order_id}/',
    operationId: 'readOrder',
    tag: 'Orders',
    scope: 'orders:read',
    summary: 'Read an order',
    params: { order_id },
    data: refer(Order),
    refusals: ['order_not_found'],
    handle: ({ actor, params }) => readOrder(db, actor, params.order_id, stateLabels),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/orders/',
    operationId: 'placeOrder',
    urgency: 'orders',
    tag: 'Orders',
    scope: 'orders:write',
    summary: 'Place an order',
    description:
      'Turns a cart group into an order, exactly as it was shown and exactly once. Repeating the request with the same key and address always returns the same order, so retries are safe.',
    form: placeOrderFields,
    data: Type.Object({
      created_order_id: Type.Integer({
        description: 'The new order; on a repeated request, the order that the first request created.',
      }),
    }),
    refusals: [
      'country_code_unknown',
      'region_code_unknown',
      'cart_group_not_found',
      'cart_group_changed',
      'cart_group_already_ordered',
      'item_not_on_sale',
      'item_not_priced',
      'stock_not_serving',
      'out_of_stock',
      'contract_limit_exceeded',
      'order_total_too_large',
    ],
    handle: ({ actor, form, request_id }) => placeOrder(db, actor, form, request_id),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/orders/{order_id}/',
    operationId: 'changeShippingDate',
    tag: 'Orders',
    scope: 'orders:write',
    summary: 'Change the shipping date of an order',
    description: `The date must lie between the stock's earliest shipping day and ${shippingDaysAheadMax} days from today. Requesting the current shipping date again changes nothing.`,
    params: { order_id },
    form: { shipping_date: day({ description: 'The new shipping date.', example: '2026-12-01' }) },
    data: refer(Order),
    refusals: ['order_not_found', 'shipping_date_refused', 'order_history_full'],
    handle: ({ actor, params, form, request_id }) =>
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
      'Requests cancellation. The order stays in the state `zayavka-na-otmen` until the distributor decides. Repeating the request changes nothing and returns the same response.',
    params: { order_id },
    data: refer(CancelledOrder),
    refusals: ['order_not_found', 'order_not_cancellable'],
    handle: ({ actor, params, request_id }) => cancelOrder(db, actor, { ...params, request_id }, stateLabels),
  }),
  route({
    method: 'GET',
    path: '/api/v1/orders/{order_id}/items/',
    operationId: 'listOrderItems',
    tag: 'Order items',
    scope: 'orders:read',
    summary: 'List the items of an order',
    params: { order_id },
    data: Type.Array(refer(OrderItem)),
    refusals: ['order_not_found'],
    handle: ({ actor, params }) => listOrderItems(db, actor, params.order_id),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/orders/{order_id}/items/{order_item_id}/',
    operationId: 'requestAdjustment',
    tag: 'Order items',
    scope: 'orders:write',
    summary: 'Request an adjustment',
    description:
      'Requests a change of the quantity of a line. The line stays unchanged until the distributor accepts. Repeating the request returns the open adjustment; a request with another quantity supersedes it.',
    params: { order_id, order_item_id },
    form: {
      quantity: integer({
        min: 0,
        max: quantityMax,
        description: 'The requested quantity; 0 empties the line.',
        example: 2,
      }),
    },
    data: refer(Adjustment),
    refusals: ['order_not_found', 'order_item_not_found', 'order_not_adjustable', 'quantity_unchanged'],
    handle: ({ actor, params, form, request_id }) => requestAdjustment(db, actor, { ...params, ...form, request_id }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/orders/{order_id}/adjustments/',
    operationId: 'listAdjustments',
    tag: 'Order items',
    scope: 'orders:read',
    summary: 'List the adjustments of an order',
    description: 'Newest first.',
    params: { order_id },
    query: pageFields,
    data: refer(Adjustment),
    paged: true,
    refusals: ['order_not_found'],
    handle: ({ actor, params, query }) => listAdjustments(db, actor, { ...params, ...query }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/orders/{order_id}/adjustments/{adjustment_id}/',
    operationId: 'readAdjustment',
    tag: 'Order items',
    scope: 'orders:read',
    summary: 'Read an adjustment',
    params: { order_id, adjustment_id },
    data: refer(Adjustment),
    refusals: ['order_not_found', 'adjustment_not_found'],
    handle: ({ actor, params }) => readAdjustment(db, actor, params),
  }),
  route({
    method: 'GET',
    path: '/api/v1/order-states/',
    operationId: 'listOrderStates',
    tag: 'Lookups',
    summary: 'List order states',
    description: 'All order states and what the client may do in each.',
    data: Type.Array(refer(OrderStateRule)),
    refusals: [],
    handle: async () => orderStates.map((state) => ({ ...state, value: stateLabels[state.state_id] })),
  }),
]
