/** Clients request to return shipped goods. They read their requests with the order. */
import { requestReturn } from './request-return.ts'
import { ReturnRequest, returnRequestsMax } from '../return-request.ts'
import { withdrawReturn } from './withdraw-return.ts'
import { linesPerCartMax } from '../../carts/cart.ts'
import { endedIds } from '../../vocabulary/example-ids.ts'
import { id, lineQuantities, text } from '../../input/fields.ts'
import { route, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const order_id = id('The order.', endedIds.shipped_order_id)

export const returnRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/api/v1/orders/{order_id}/return-requests/',
    operationId: 'requestReturn',
    tag: 'Returns',
    scope: 'orders:write',
    summary: 'Request a return',
    description: `Requests to return shipped goods. The distributor accepts the request and says how the goods come back, or rejects it with a reason; you get \`return_request.decided\`, and \`return_request.arrived\` when they have arrived. No more of a line can be requested than was shipped, has not come back and is not requested already. An order has at most ${returnRequestsMax} requests.`,
    params: { order_id },
    form: {
      lines: lineQuantities({
        max: linesPerCartMax,
        description: 'What is to be returned; in a form, as JSON text.',
        line: endedIds.shipped_order_item_id,
      }),
      reason: text({ max: 500, description: 'Why, for the distributor.', example: 'Does not fit.' }),
    },
    takesIdempotencyKey: true,
    data: refer(ReturnRequest),
    refusals: [
      'order_not_found',
      'order_item_not_found',
      'quantity_not_returnable',
      'return_requests_full',
      'idempotency_key_used',
    ],
    handle: ({ db, actor, params, form, request_id, retry }) =>
      requestReturn(db, actor, { ...params, ...form, request_id }, retry),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/orders/{order_id}/return-requests/{return_request_id}/',
    operationId: 'withdrawReturn',
    tag: 'Returns',
    scope: 'orders:write',
    summary: 'Withdraw a request to return goods',
    description:
      'Withdraws a request that has not been decided: it becomes `CANCELED`. Repeating the request changes nothing and returns the same response.',
    params: { order_id, return_request_id: id('The request to return goods.', endedIds.return_request_id) },
    data: refer(ReturnRequest),
    refusals: ['order_not_found', 'return_request_not_found', 'return_request_decided'],
    handle: ({ db, actor, params, request_id }) => withdrawReturn(db, actor, { ...params, request_id }),
  }),
]
