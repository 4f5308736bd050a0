/** The orders of all clients, for operators. */
import { orderName, withOrderId } from './named-order.ts'
import Type from 'typebox'
import { listOperatorOrderItems } from '../reading/list-order-items.ts'
import { FullOrder, OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { orderFilters } from './order-filters.ts'
import { OrderItem } from '../order-goods.ts'
import { listOperatorOrders, ordersScannedMax, readOperatorOrder } from './read-operator-orders.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

export const findingRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/orders/',
    operationId: 'listClientOrders',
    tag: 'Orders',
    permission: 'view',
    summary: 'List the orders of all clients',
    description: `Newest first, or in the order of \`sort\`. Filters can be combined; \`order_number\` identifies one order, and the other filters are then ignored. A page examines at most ${ordersScannedMax} orders of the most selective filter. With further filters a page can have fewer entries than \`limit\`, or none, and still have a next page: continue until \`next_cursor\` is null.`,
    query: {
      ...orderFilters,
      ...pageFields,
    },
    data: refer(OperatorOrder),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listOperatorOrders(db, query, page, stateLabels),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/orders/{order_id}/',
    operationId: 'readClientOrder',
    tag: 'Orders',
    permission: 'view',
    summary: 'Read an order of any client',
    description: 'The order in full, with its adjustments: what was requested, and who decided it.',
    params: { order_id: orderName },
    data: refer(FullOrder),
    refusals: ['order_not_found'],
    handle: async ({ db, params }) => readOperatorOrder(db, (await withOrderId(db, params)).order_id, stateLabels),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/orders/{order_id}/items/',
    operationId: 'listClientOrderItems',
    tag: 'Orders',
    permission: 'view',
    summary: 'List the lines of an order of any client',
    params: { order_id: orderName },
    data: Type.Array(refer(OrderItem)),
    refusals: ['order_not_found'],
    handle: async ({ db, params }) => listOperatorOrderItems(db, (await withOrderId(db, params)).order_id),
  }),
]
