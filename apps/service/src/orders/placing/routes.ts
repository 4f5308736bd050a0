/** Placing an order. */
import Type from 'typebox'
import { placeOrderFields } from '../order-input.ts'
import { placeOrder } from './place-order.ts'
import { actorName } from '../../identity/actor.ts'
import { route, type Route } from '../../http/routing/route.ts'

export const placingRoutes: Route[] = [
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
      'address_not_found',
      'cart_group_not_found',
      'cart_group_changed',
      'cart_group_already_ordered',
      'reference_used',
      'item_not_on_sale',
      'item_not_priced',
      'quantity_not_allowed',
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
]
