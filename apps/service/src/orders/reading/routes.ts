/** Orders and adjustments as their client reads them. */
import Type from 'typebox'
import { Adjustment, adjustmentIncludes } from '../adjustment.ts'
import { placedFilters } from '../finding/order-filters.ts'
import { listOrderItems } from './list-order-items.ts'
import { Order } from '../order.ts'
import { orderIncludes, type OrderInclude } from '../order-details.ts'
import { referenceLengthMax, remarkNames } from '../order-input.ts'
import { OrderItem } from '../order-goods.ts'
import { orderStates, orderStateWords, stateIds } from '../../vocabulary/order-states.ts'
import { listAdjustments, readAdjustment } from './read-adjustments.ts'
import { listOrders, ordersPageDefault, ordersWithLinesMax, readOrder, type OrderSettings } from './read-orders.ts'
import { listed, optional, text } from '../../input/fields.ts'
import { metadataPair } from '../../input/metadata.ts'
import { pageFields, pageFieldsWith } from '../../input/page-fields.ts'
import { lookupSeconds } from '../../http/routing/cache.ts'
import { route, type Route } from '../../http/routing/route.ts'
import { refer, word } from '../../vocabulary/schema-parts.ts'
import { order_id, adjustment_id } from '../path-ids.ts'

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

const included = (words: readonly OrderInclude[], more: string) => ({
  include: optional(
    listed(words, {
      description: `What to show of each order besides its usual fields, separated by commas: \`address\`, \`items\` (the lines, with what is shipped and open), \`terms\`, \`shipments\`, \`returns\` (of shipped goods, and your requests for them in \`return_requests\`), \`documents\` (links to invoices, delivery notes and credit notes), \`metadata\` (what you have sent with it by keys of your own), \`reference\` (${remarkNames}), and \`actions\` (what you may do with the order now)${more}.`,
      example: ['address', 'items'],
    }),
  ),
})

export const readingRoutes = ({ stateLabels, shippingDaysAheadMax }: OrderSettings): Route[] => [
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
      metadata: optional(
        metadataPair('Only orders with which you have sent exactly this key and value of `metadata`.'),
      ),
      ...included(orderIncludes, ''),
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
    query: included(
      [...orderIncludes, 'promise'],
      ', and `promise` (when the stock can ship what is open of each line)',
    ),
    data: refer(Order),
    plain: true,
    refusals: ['order_not_found'],
    handle: ({ db, actor, params, query }) =>
      readOrder(db, actor, { ...params, ...query }, { stateLabels, shippingDaysAheadMax }),
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
