/** Operator routes that correct an order or note something about it. */
import { orderName, withOrderId } from '../finding/named-order.ts'
import { addLine, previewAddedLine } from './add-line.ts'
import { addNote } from './add-note.ts'
import { rescheduleOrder } from '../requests/change-shipping-date.ts'
import { changeLine, previewLine } from './change-line.ts'
import { LineChange } from './line-change.ts'
import { OperatorOrder, orderAsItIs, notesMax } from '../operator-order.ts'
import type { OrderSettings } from '../reading/read-orders.ts'
import { returnGoods } from './return-goods.ts'
import { undoCancellation, undoHoursMax } from '../moving/undo-cancellation.ts'
import { operatorActor } from '../../identity/actor.ts'
import { linesPerCartMax } from '../../carts/cart.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { expectedAmount, expectedPieces } from '../../input/expected.ts'
import { dayAhead, flag, id, integer, lineQuantities, optional, quantityMax, text } from '../../input/fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import { Refusal, refusalError } from '../../vocabulary/refusals.ts'

const reason = text({ max: 200, description: 'Why; the client reads it in the history.', example: 'One is damaged.' })
const dry_run = optional(
  flag({ description: 'With true, nothing is changed: the answer is the effect that it would have.', example: false }),
)

export const correctionRoutes = ({ stateLabels, shippingDaysAheadMax }: OrderSettings): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/notes/',
    operationId: 'addNote',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.noted',
    summary: 'Add a note to an order',
    description: `An internal note is shown to operators only, in \`notes\` of the order, with its author; an order takes up to ${notesMax}. Any other note becomes an entry of the history, which the client reads, and the client gets the event \`order.noted\`.${orderAsItIs}`,
    params: { order_id: orderName },
    form: {
      text: text({ max: 500, description: 'The note.', example: 'Call before loading.' }),
      internal: flag({ description: 'Whether only operators see it.', example: true }),
    },
    takesIdempotencyKey: true,
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_notes_full', 'order_history_full', 'idempotency_key_used'],
    handle: async ({ db, actor, params, form, request_id, retry }) =>
      addNote(
        db,
        { ...(await withOrderId(db, params)), ...form, actor: operatorActor(actor), request_id },
        stateLabels,
        retry,
      ),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/orders/{order_id}/items/{order_item_id}/',
    operationId: 'changeLine',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.items_changed',
    summary: 'Change a line of an order',
    description:
      "Reduces or removes a line in `new`, `processing` and `fulfilling`, but not below what is shipped, or raises it in `new` and `processing` if stock and limit allow. Totals and tax follow by the order's own terms, stock and exposure by the difference. The history has both quantities and the reason; the client gets `order.items_changed`. An open adjustment of the line is closed. An order without lines is cancelled, and one of which nothing is left to ship is shipped; both are refused while the order is on hold.",
    params: { order_id: orderName, order_item_id: id('The line.', exampleIds.order_item_id) },
    form: {
      quantity: integer({
        min: 0,
        max: quantityMax,
        description: 'The new quantity; 0 removes the line.',
        example: 3,
      }),
      reason,
      dry_run,
      expected: expectedPieces('The quantity of the line', 5),
    },
    data: refer(LineChange),
    refusals: [
      'order_not_found',
      'order_item_not_found',
      'quantity_unchanged',
      'order_lines_fixed',
      'quantity_below_shipped',
      'expected_differs',
      'order_held',
      'out_of_stock',
      'contract_limit_exceeded',
      'order_total_too_large',
    ],
    handle: async ({ db, actor, params, form: { dry_run: dry, ...form }, request_id }) =>
      (dry === true ? previewLine : changeLine)(db, {
        ...(await withOrderId(db, params)),
        ...form,
        actor: operatorActor(actor),
        request_id,
      }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/items/',
    operationId: 'addLine',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.items_changed',
    summary: 'Add a line to an order',
    description:
      'In `new` and `processing`, for an item that is not in the order, at the price that its contract has now. Discount and tax are those of the order. Stock and limit must allow it. The client reads the reason in the history, and gets `order.items_changed`.',
    params: { order_id: orderName },
    form: {
      item_id: optional(id('The item; or `article`.', exampleIds.item_id)),
      article: optional(
        text({
          description: 'The article; case, spaces, dashes, dots and slashes do not matter.',
          example: 'JF-11024',
        }),
      ),
      quantity: integer({ min: 1, max: quantityMax, description: 'The quantity.', example: 2 }),
      reason,
      dry_run,
      expected: expectedAmount('The `total_after` of the order', 57.9),
    },
    takesIdempotencyKey: true,
    data: refer(LineChange),
    refusals: [
      'order_not_found',
      'order_lines_fixed',
      'article_not_found',
      'article_ambiguous',
      'item_in_order',
      'item_not_on_sale',
      'order_currency_differs',
      'item_not_priced',
      'order_full',
      'out_of_stock',
      'expected_differs',
      'contract_limit_exceeded',
      'order_total_too_large',
      'idempotency_key_used',
    ],
    handle: async ({ db, actor, params, form, request_id, retry }) => {
      const { item_id, article, quantity, reason: why, dry_run: dry, expected } = form
      if (item_id === undefined && article === undefined)
        throw new Refusal([refusalError('field_missing', { field: 'item_id' })])
      const line = {
        ...(await withOrderId(db, params)),
        item_id,
        article,
        quantity,
        reason: why,
        expected,
        actor: operatorActor(actor),
        request_id,
        retry,
      }
      return (dry === true ? previewAddedLine : addLine)(db, line)
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/undo-cancellation/',
    operationId: 'undoCancellation',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.state_changed',
    summary: 'Undo a cancellation',
    description: `Within ${undoHoursMax} hours, if stock and limit allow: the order returns to its state before the cancellation, its goods are reserved again, and it counts against the limit again. If the client had requested the cancellation, the order returns to the state before the request, as if the request had been rejected. The client reads the reason in the history, and gets \`order.state_changed\`. Not possible for archived orders, and not after the last line was removed.`,
    params: { order_id: orderName },
    form: { reason: text({ max: 500, description: 'Why; shown to the client.', example: 'Cancelled by mistake.' }) },
    data: refer(OperatorOrder),
    refusals: [
      'order_not_found',
      'cancellation_not_undoable',
      'out_of_stock',
      'contract_limit_exceeded',
      'order_total_too_large',
    ],
    handle: async ({ db, actor, params, form, request_id }) =>
      undoCancellation(
        db,
        { ...(await withOrderId(db, params)), ...form, actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/reschedule/',
    operationId: 'rescheduleOrder',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.rescheduled',
    summary: 'Change the shipping date of an order of any client',
    description: `As the client does it: in \`new\` and \`processing\`, to a day between the stock's earliest shipping day and ${shippingDaysAheadMax} days from today. Requesting the current shipping date again changes nothing.`,
    params: { order_id: orderName },
    form: { shipping_date: dayAhead({ description: 'The new shipping date.', example: '2026-12-01', daysAhead: 7 }) },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_not_reschedulable', 'shipping_date_refused', 'order_history_full'],
    handle: async ({ db, actor, params, form, request_id }) =>
      rescheduleOrder(
        db,
        {
          ...(await withOrderId(db, params)),
          ...form,
          days_ahead_max: shippingDaysAheadMax,
          actor: operatorActor(actor),
          request_id,
        },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/returns/',
    operationId: 'returnGoods',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.returned',
    summary: 'Record a return',
    description: `Records that shipped goods came back, in whole or in part, several times if need be. With \`restock\` they are in the stock again. Quantities, totals and state of the order stay: credit notes belong to the ERP. The client reads the reason in the history, and gets \`order.returned\`.${orderAsItIs}`,
    params: { order_id: orderName },
    form: {
      lines: lineQuantities({ max: linesPerCartMax, description: 'What came back.' }),
      reason: text({ max: 500, description: 'Why; shown to the client.', example: 'Does not fit.' }),
      restock: flag({ description: 'Whether the goods go back into the stock.', example: true }),
      return_request_id: optional(
        id(
          "The client's accepted request whose goods these are; it ends with their arrival.",
          exampleIds.return_request_id,
        ),
      ),
      expected: expectedPieces('How many pieces of the order were shipped and have not come back', 5),
    },
    takesIdempotencyKey: true,
    data: refer(OperatorOrder),
    refusals: [
      'order_not_found',
      'order_item_not_found',
      'return_request_not_found',
      'return_request_not_accepted',
      'quantity_not_returnable',
      'expected_differs',
      'idempotency_key_used',
    ],
    handle: async ({ db, actor, params, form, request_id, retry }) =>
      returnGoods(
        db,
        { ...(await withOrderId(db, params)), ...form, actor: operatorActor(actor), request_id },
        stateLabels,
        retry,
      ),
  }),
]
