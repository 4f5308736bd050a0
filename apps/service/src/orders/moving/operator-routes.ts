/** Moving an order from state to state, holding it, and clearing its virtual mark. */
import { orderName, withOrderId } from '../finding/named-order.ts'
import { holdOrder, releaseOrder } from './hold-order.ts'
import Type from 'typebox'
import { clearVirtual } from './clear-virtual.ts'
import { moveOrder } from './move-order.ts'
import { MoveResult, moveOrders, ordersMovedMax } from './move-orders.ts'
import { OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { moveTargets } from '../../vocabulary/order-states.ts'
import { operatorActor } from '../../identity/actor.ts'
import { choice, ids, optional, text } from '../../input/fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import { refusalError, Refusal } from '../../vocabulary/refusals.ts'

const togetherMax = `a list that has, together with order_ids, at most ${ordersMovedMax} orders`

const moveFields = {
  state_id: choice(moveTargets, { description: 'The state to move to.', example: 'processing' }),
  text: optional(
    text({ max: 500, description: "A remark for the order's history; required for `canceled`.", example: 'Sold out.' }),
  ),
}

/** Cancelling requires a reason. */
function moveOf<S extends string>({
  state_id,
  text: remark,
}: {
  state_id: S
  text?: string | undefined
}): {
  state_id: S
  text: string
} {
  if (state_id === 'canceled' && remark === undefined)
    throw new Refusal([refusalError('field_missing', { field: 'text' })])
  return { state_id, text: remark ?? '' }
}

export const movingRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/move/',
    operationId: 'moveOrder',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.state_changed',
    summary: 'Move an order',
    description:
      'Moves an order one step forward (`new`, `processing`, `fulfilling`, `shipped`, `completed`), or from the first three states to `canceled`, with a reason. It also moves back, from `fulfilling` to `processing` and from there to `new`. Moving to `shipped` ships everything that is open in one shipment, which takes the goods out of the stock; completing reduces the exposure of the contract; cancelling releases both. Moving back and cancelling are possible until something is shipped. An order that is in the state already stays unchanged.',
    params: { order_id: orderName },
    form: moveFields,
    data: refer(OperatorOrder),
    refusals: [
      'order_not_found',
      'order_move_refused',
      'order_held',
      'order_partly_shipped',
      'order_is_virtual',
      'goods_missing',
    ],
    handle: async ({ db, actor, params, form, request_id }) =>
      moveOrder(
        db,
        { ...(await withOrderId(db, params)), ...moveOf(form), actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/move/',
    operationId: 'moveOrders',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.state_changed',
    summary: 'Move many orders',
    description: `Moves up to ${ordersMovedMax} orders, named by id or by number, each on its own, and returns a result for each: first those of \`order_ids\`, then those of \`order_numbers\`, in the order of the request.`,
    form: {
      order_ids: optional(ids({ max: ordersMovedMax, description: 'The orders, by id.', example: [5012, 5013] })),
      order_numbers: optional(
        ids({ max: ordersMovedMax, description: 'Orders by number, instead of ids or besides.', example: [100_234] }),
      ),
      ...moveFields,
    },
    data: Type.Array(refer(MoveResult)),
    refusals: [],
    handle: ({ db, actor, form: { order_ids = [], order_numbers = [], ...form }, request_id }) => {
      if (order_ids.length + order_numbers.length === 0)
        throw new Refusal([refusalError('field_missing', { field: 'order_ids' })])
      if (order_ids.length + order_numbers.length > ordersMovedMax)
        throw new Refusal([refusalError('field_invalid', { field: 'order_numbers', value: '…', rule: togetherMax })])
      const move = { ...moveOf(form), actor: operatorActor(actor), request_id }
      return moveOrders(db, { order_ids, order_numbers, ...move }, stateLabels)
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/clear-virtual/',
    operationId: 'clearVirtual',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.changed',
    summary: 'Clear the virtual mark of an order',
    description:
      'Reserves the goods of all lines, or of none, and turns the order into a normal one. Possible in `new`, `processing` and `fulfilling`. An order that is not virtual stays unchanged.',
    params: { order_id: orderName },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'virtual_not_clearable', 'out_of_stock'],
    handle: async ({ db, actor, params, request_id }) =>
      clearVirtual(db, { ...(await withOrderId(db, params)), actor: operatorActor(actor), request_id }, stateLabels),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/hold/',
    operationId: 'holdOrder',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.held',
    summary: 'Put an order on hold',
    description:
      'Nobody moves the order until it is released. Its goods stay reserved, and the client reads the reason in the history. The client may still request its cancellation: accepting that cancels the order and ends the hold; rejecting it leaves the order on hold. Possible until the order is shipped. A hold with another reason replaces the reason; with the same one, nothing changes.',
    params: { order_id: orderName },
    form: { reason: text({ max: 500, description: 'Why; shown to the client.', example: 'Payment is overdue.' }) },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_not_holdable'],
    handle: async ({ db, actor, params, form, request_id }) =>
      holdOrder(
        db,
        { ...(await withOrderId(db, params)), ...form, actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/release/',
    operationId: 'releaseOrder',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.released',
    summary: 'Release an order that is on hold',
    description: 'The order can be moved again. An order that is not on hold stays unchanged.',
    params: { order_id: orderName },
    data: refer(OperatorOrder),
    refusals: ['order_not_found'],
    handle: async ({ db, actor, params, request_id }) =>
      releaseOrder(db, { ...(await withOrderId(db, params)), actor: operatorActor(actor), request_id }, stateLabels),
  }),
]
