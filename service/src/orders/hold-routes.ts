/** Operator routes that put an order on hold and release it. */
import { holdOrder, releaseOrder } from './hold-order.ts'
import { OperatorOrder } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { operatorActor } from '../access/actor.ts'
import { exampleIds } from '../example-ids.ts'
import { id, text } from '../input/fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'

const order_id = id('The order.', exampleIds.order_id)

export const holdRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/hold/',
    operationId: 'holdOrder',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Put an order on hold',
    description:
      'Nobody moves the order until it is released. Its goods stay reserved, and the client reads the reason in the history. The client may still request its cancellation: accepting that cancels the order and ends the hold; rejecting it leaves the order on hold. Possible until the order is shipped. A hold with another reason replaces the reason; with the same one, nothing changes.',
    params: { order_id },
    form: { reason: text({ max: 500, description: 'Why; shown to the client.', example: 'Payment is overdue.' }) },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_not_holdable'],
    handle: ({ db, actor, params, form, request_id }) =>
      holdOrder(db, { ...params, ...form, actor: operatorActor(actor), request_id }, stateLabels),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/release/',
    operationId: 'releaseOrder',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Release an order that is on hold',
    description: 'The order can be moved again. An order that is not on hold stays unchanged.',
    params: { order_id },
    data: refer(OperatorOrder),
    refusals: ['order_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      releaseOrder(db, { ...params, actor: operatorActor(actor), request_id }, stateLabels),
  }),
]
