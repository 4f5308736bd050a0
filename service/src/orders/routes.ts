import Type from 'typebox'
import { Adjustment, adjustmentIncludes } from './adjustment.ts'
import { cancelOrder } from './cancel-order.ts'
import { changeShippingDate } from './change-shipping-date.ts'
import { placedFilters } from './order-filters.ts'
import { listOrderItems } from './list-order-items.ts'
import { CancelledOrder, Order } from './order.ts'
import { orderIncludes } from './order-details.ts'
import { placeOrderFields, referenceLengthMax } from './order-input.ts'
import { OrderItem } from './order-line.ts'
import { orderStates, orderStateWords, stateIds } from './order-states.ts'
import { placeOrder } from './place-order.ts'
import { listAdjustments, readAdjustment } from './read-adjustments.ts'
import { listOrders, ordersPageDefault, ordersWithLinesMax, readOrder, type OrderSettings } from './read-orders.ts'
import { requestAdjustment } from './request-adjustment.ts'
import { withdrawAdjustment } from './withdraw-adjustment.ts'
import { actorName } from '../access/actor.ts'
import { endedIds, exampleIds } from '../example-ids.ts'
import { dayAhead, id, integer, listed, optional, quantityMax, text } from '../input/fields.ts'
import { pageFields, pageFieldsWith } from '../input/page-fields.ts'
import { lookupSeconds } from '../http/routing/cache.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import { word } from '../schema-words.ts'

const reasonLengthMax = 200 // One line in an operator's inbox.
const order_id = id('The order.', exampleIds.order_id)
const order_item_id = id('The line of the order.', exampleIds.order_item_id)
const adjustment_id = id('The adjustment.', exampleIds.adjustment_id)
const includedInAdjustments = {
  include: optional(
    listed(adjustmentIncludes, {
      description: 'Adds `request`: the line, the requested quantity, the reason, and who decided it and when.',
      example: ['request'],
    }),
  ),
}

export const OrderStateRule = Type.Object(
  {
    state_id: word(orderStateWords, 'The state id used in orders and history.'),
    value: Type.String({ description: 'The label of the state.' }),
    cancellable: Type.Boolean({ description: 'Whether the client may request cancellation in this state.' }),
    reschedulable: Type.Boolean({ description: 'Whether the client may change the shipping date in this state.' }),
    adjustable: Type.Boolean({ description: 'Whether the client may request adjustments in this state.' }),
  },
  {
    $id: 'OrderStateRule',
    examples: [{ state_id: 'new', value: 'New', cancellable: true, reschedulable: true, adjustable: true }],
  },
)

const include = optional(
  listed(orderIncludes, {
    description:
      'What to show of each order besides its usual fields, separated by commas: `address`, `items` (the lines, with what is shipped and open), `terms`, `shipments`, `reference` (with `comment`), and `actions` (what you may do with the order now).',
    example: ['address', 'items'],
  }),
)

export const orderRoutes = ({ stateLabels, shippingDaysAheadMax }: OrderSettings): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/orders/',
    operationId: 'listOrders',
    tag: 'Orders',
    scope: 'orders:read',
    summary: 'List orders',
    description: `Newest first. Filters can be combined. New orders do not shift the pages of a listing in progress. With \`include=items\`, a page has at most ${ordersWithLinesMax} orders.`,
    query: {
      state: optional(
        listed(stateIds, {
          description: 'Only orders in this state, or in one of several that are separated by commas.',
          example: ['new', 'processing'],
        }),
      ),
      ...placedFilters,
      sku_code: optional(
        text({ description: 'Only orders with this article code, ignoring case.', example: 'JF-11024' }),
      ),
      reference: optional(
        text({
          max: referenceLengthMax,
          description: 'Only orders with exactly this reference of yours.',
          example: 'PO-2026-0815',
        }),
      ),
      include,
      ...pageFieldsWith(ordersPageDefault),
    },
    data: refer(Order),
    plain: true,
    paged: true,
    refusals: [],
    handle: ({ db, actor, query, page }) => listOrders(db, actor, query, page, { stateLabels, shippingDaysAheadMax }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/orders/{order_id}/',
    operationId: 'readOrder',
    tag: 'Orders',
    scope: 'orders:read',
    summary: 'Read an order',
    params: { order_id },
    query: { include },
    data: refer(Order),
    plain: true,
    refusals: ['order_not_found'],
    handle: ({ db, actor, params, query }) =>
      readOrder(db, actor, { ...params, ...query }, { stateLabels, shippingDaysAheadMax }),
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
      'Turns a cart group into an order, exactly as it was shown and exactly once. Repeating the request with the same key and fields always returns the same order, so retries are safe.',
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
      'reference_used',
      'item_not_on_sale',
      'item_not_priced',
      'stock_not_serving',
      'out_of_stock',
      'contract_limit_exceeded',
      'order_total_too_large',
      'client_blocked',
      'contract_blocked',
    ],
    handle: ({ db, actor, form, request_id }) => {
      const { client_id, contact_id } = actor
      return placeOrder(db, { client_id, contact_id, remark: '', actor: actorName(actor), request_id }, form)
    },
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
    form: { shipping_date: dayAhead({ description: 'The new shipping date.', example: '2026-12-01', daysAhead: 7 }) },
    data: refer(Order),
    refusals: ['order_not_found', 'shipping_date_refused', 'order_history_full'],
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
    method: 'GET',
    path: '/api/v1/orders/{order_id}/items/',
    operationId: 'listOrderItems',
    tag: 'Order items',
    scope: 'orders:read',
    summary: 'List the items of an order',
    params: { order_id },
    data: Type.Array(refer(OrderItem)),
    refusals: ['order_not_found'],
    handle: ({ db, actor, params }) => listOrderItems(db, actor, params.order_id),
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
    method: 'GET',
    path: '/api/v1/orders/{order_id}/adjustments/',
    operationId: 'listAdjustments',
    tag: 'Order items',
    scope: 'orders:read',
    summary: 'List the adjustments of an order',
    description: 'Newest first.',
    params: { order_id },
    query: { ...includedInAdjustments, ...pageFields },
    data: refer(Adjustment),
    paged: true,
    refusals: ['order_not_found'],
    handle: ({ db, actor, params, query, page }) =>
      listAdjustments(db, actor, { ...params, include: query.include }, page),
  }),
  route({
    method: 'GET',
    path: '/api/v1/orders/{order_id}/adjustments/{adjustment_id}/',
    operationId: 'readAdjustment',
    tag: 'Order items',
    scope: 'orders:read',
    summary: 'Read an adjustment',
    params: { order_id, adjustment_id },
    query: includedInAdjustments,
    data: refer(Adjustment),
    refusals: ['order_not_found', 'adjustment_not_found'],
    handle: ({ db, actor, params, query }) => readAdjustment(db, actor, { ...params, ...query }),
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
  route({
    method: 'GET',
    path: '/api/v1/order-states/',
    operationId: 'listOrderStates',
    cacheSeconds: lookupSeconds.fixed,
    tag: 'Lookups',
    summary: 'List order states',
    description: 'All order states and what the client may do in each.',
    data: Type.Array(refer(OrderStateRule)),
    refusals: [],
    handle: async () => orderStates.map((state) => ({ ...state, value: stateLabels[state.state_id] })),
  }),
]
