/** Shipping an order in one shipment or several. */
import { orderName, withOrderId } from '../finding/named-order.ts'
import { closeOpen } from './close-open.ts'
import { OperatorOrder, orderAsItIs } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { shipOrder } from './ship-order.ts'
import { operatorActor } from '../../identity/actor.ts'
import { expectedPieces } from '../../input/expected.ts'
import { lineQuantities, optional, text } from '../../input/fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const expectedOpen = expectedPieces('How many pieces of the order are not shipped', 5)

const linesShippedMax = 1_000 // As many as a cart has lines.

export const shippingRoutes = ({ stateLabels }: { stateLabels: StateLabels }): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/shipments/',
    operationId: 'shipOrder',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.shipped',
    summary: 'Ship an order, or a part of it',
    description: `Records a shipment of an order in \`fulfilling\`: its goods leave the stock. Without \`lines\`, everything that is open is shipped. The order stays in \`fulfilling\` while anything is open, and becomes \`shipped\` with the last piece. Its client is informed by the event \`order.shipped\`.${orderAsItIs}`,
    params: { order_id: orderName },
    form: {
      lines: optional(
        lineQuantities({
          max: linesShippedMax,
          description: 'What is shipped. Without it, everything that is open.',
        }),
      ),
      expected: expectedOpen,
      carrier: optional(text({ max: 100, description: 'Who carries it; shown to the client.', example: 'DHL' })),
      tracking: optional(
        text({
          max: 200,
          description: "The carrier's number or address for tracking it; shown to the client.",
          example: '00340434161094015902',
        }),
      ),
    },
    takesIdempotencyKey: true,
    data: refer(OperatorOrder),
    refusals: [
      'order_not_found',
      'order_move_refused',
      'order_held',
      'order_is_virtual',
      'order_item_not_found',
      'quantity_not_open',
      'expected_differs',
      'goods_missing',
      'idempotency_key_used',
    ],
    handle: async ({ db, actor, params, form, request_id, retry }) =>
      shipOrder(
        db,
        {
          ...(await withOrderId(db, params)),
          ...form,
          text: [form.carrier, form.tracking].filter((part) => part !== undefined).join(' '),
          actor: operatorActor(actor),
          request_id,
        },
        stateLabels,
        retry,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/close-open/',
    operationId: 'closeOpen',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.items_changed',
    summary: 'Close what will not be delivered',
    description:
      "For an order in `fulfilling` of which a part has been shipped: the rest will not be delivered. The quantities fall to what is shipped, and with them the totals, the reserved stock and the exposure of the contract. The order becomes `shipped`. The reason is recorded in the order's history.",
    params: { order_id: orderName },
    form: {
      reason: text({ max: 500, description: 'The reason; shown to the client.', example: 'Out of production.' }),
      expected: expectedOpen,
    },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_move_refused', 'order_held', 'nothing_shipped', 'expected_differs'],
    handle: async ({ db, actor, params, form, request_id }) =>
      closeOpen(
        db,
        { ...(await withOrderId(db, params)), ...form, actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
]
