/** Operator routes for orders: the inbox, decisions, moves and listings. */
import Type from 'typebox'
import { clearVirtual } from './clear-virtual.ts'
import { closeOpen } from './close-open.ts'
import { acceptAdjustment, rejectAdjustment } from './decide-adjustment.ts'
import { adjustmentStatuses, OperatorAdjustment } from './adjustment.ts'
import { InboxEntry } from './inbox-entry.ts'
import { listInbox } from './list-inbox.ts'
import { ListedAdjustment, listOperatorAdjustments } from './list-operator-adjustments.ts'
import { listOperatorOrderItems } from './list-order-items.ts'
import { listPickList, PickedOrder } from './list-pick-list.ts'
import { decideCancellation, moveOrder } from './move-order.ts'
import { MoveResult, moveOrders, ordersMovedMax } from './move-orders.ts'
import { FullOrder, OperatorOrder, orderAsItIs } from './operator-order.ts'
import type { StateLabels } from './order.ts'
import { orderFilters } from './order-filters.ts'
import { OrderItem } from './order-line.ts'
import { moveTargets } from './order-states.ts'
import { Counts, readCounts } from './read-counts.ts'
import { listOperatorOrders, ordersScannedMax, readOperatorOrder } from './read-operator-orders.ts'
import { ordersWithLinesMax } from './read-orders.ts'
import { shipOrder } from './ship-order.ts'
import { operatorActor } from '../access/actor.ts'
import { exampleIds } from '../example-ids.ts'
import { confirmed, expectedAmount, expectedPieces } from '../input/expected.ts'
import { choice, id, ids, lineQuantities, listed, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import { pickListPage } from './print-pages.ts'
import { refusalError, Refusal } from '../refusals.ts'

const order_id = id('The order.', exampleIds.order_id)
const adjustment_id = id('The adjustment.', exampleIds.adjustment_id)
const message = text({ max: 500, description: 'The reason; shown to the client.', example: 'Already being loaded.' })
const expectedQuantity = expectedPieces('The quantity of the line', 4)
const expectedTotal = expectedAmount('The `order_total` of the order', 416.68)
const expectedOpen = expectedPieces('How many pieces of the order are not shipped', 5)
const linesShippedMax = 1_000 // As many as a cart has lines.
const togetherMax = `a list that has, together with order_ids, at most ${ordersMovedMax} orders`
const moveFields = {
  state_id: choice(moveTargets, { description: 'The state to move to.', example: 'processing' }),
  text: optional(
    text({ max: 500, description: "A remark for the order's history; required for `canceled`.", example: 'Sold out.' }),
  ),
}

export const orderOperatorRoutes = ({
  stateLabels,
  confirmedQuantityFactor,
}: {
  stateLabels: StateLabels
  confirmedQuantityFactor: number
}): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/inbox/',
    operationId: 'listInbox',
    tag: 'Decisions',
    permission: 'view',
    summary: 'List open requests',
    description:
      'Open cancellation and adjustment requests, oldest first, with the effect of accepting each and the decisions that are possible now.',
    query: pageFields,
    data: refer(InboxEntry),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listInbox(db, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/counts/',
    operationId: 'readCounts',
    tag: 'Orders',
    permission: 'view',
    summary: 'Count what there is to do',
    description:
      'Counts orders by state and by stock, open requests, held orders and short stock levels. Counting stops at 1,000, so it costs the same however many orders there are; `more` then says that there are more.',
    data: refer(Counts),
    refusals: [],
    handle: ({ db }) => readCounts(db),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/cancellation/accept/',
    operationId: 'acceptCancellation',
    tag: 'Decisions',
    permission: 'decide',
    summary: 'Accept a cancellation',
    description:
      'Cancels the order: its goods are released, and it no longer counts against the limit of the contract.',
    params: { order_id },
    form: { expected: expectedTotal },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'cancellation_not_requested', 'expected_differs'],
    handle: ({ db, actor, params, form, request_id }) =>
      decideCancellation(
        db,
        { ...params, ...form, accept: true, text: '', actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/cancellation/reject/',
    operationId: 'rejectCancellation',
    tag: 'Decisions',
    permission: 'decide',
    summary: 'Reject a cancellation',
    description: 'The order returns to the state before the request; the reason is recorded in its history.',
    params: { order_id },
    form: { message, expected: expectedTotal },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'cancellation_not_requested', 'expected_differs'],
    handle: ({ db, actor, params, form: { message: why, expected }, request_id }) =>
      decideCancellation(
        db,
        { ...params, expected, accept: false, text: why, actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/adjustments/',
    operationId: 'listClientAdjustments',
    tag: 'Decisions',
    permission: 'view',
    summary: 'List the adjustments of all clients',
    description: 'Open and decided ones, newest first.',
    query: {
      status: optional(
        listed(adjustmentStatuses, {
          description: 'Only adjustments with this status, or with one of several that are separated by commas.',
          example: ['ACCEPTED', 'CANCELED'],
        }),
      ),
      client_id: optional(id('Only adjustments of this client.', exampleIds.client_id)),
      ...pageFields,
    },
    data: refer(ListedAdjustment),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listOperatorAdjustments(db, query, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/adjustments/{adjustment_id}/accept/',
    operationId: 'acceptAdjustment',
    tag: 'Decisions',
    permission: 'decide',
    summary: 'Accept an adjustment',
    description:
      "Changes the line, the order's totals, the stock and the contract's exposure by the difference. The previous quantity is recorded in the order's history. Quantity 0 removes the line; an order without lines is cancelled. A quantity far above the present one must be confirmed.",
    params: { adjustment_id },
    form: { expected: expectedQuantity, confirmed: confirmed('an increase by more than the usual factor') },
    data: refer(OperatorAdjustment),
    refusals: [
      'adjustment_not_found',
      'adjustment_decided',
      'out_of_stock',
      'contract_limit_exceeded',
      'order_total_too_large',
      'expected_differs',
      'confirmation_required',
    ],
    handle: ({ db, actor, params, form, request_id }) =>
      acceptAdjustment(db, { ...params, ...form, actor: operatorActor(actor), request_id }, confirmedQuantityFactor),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/adjustments/{adjustment_id}/reject/',
    operationId: 'rejectAdjustment',
    tag: 'Decisions',
    permission: 'decide',
    summary: 'Reject an adjustment',
    description: 'The line stays unchanged; the client can read the reason in the adjustment.',
    params: { adjustment_id },
    form: { message, expected: expectedQuantity },
    data: refer(OperatorAdjustment),
    refusals: ['adjustment_not_found', 'adjustment_decided', 'expected_differs'],
    handle: ({ db, actor, params, form, request_id }) =>
      rejectAdjustment(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
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
    params: { order_id },
    data: refer(FullOrder),
    refusals: ['order_not_found'],
    handle: ({ db, params }) => readOperatorOrder(db, params.order_id, stateLabels),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/orders/{order_id}/items/',
    operationId: 'listClientOrderItems',
    tag: 'Orders',
    permission: 'view',
    summary: 'List the lines of an order of any client',
    params: { order_id },
    data: Type.Array(refer(OrderItem)),
    refusals: ['order_not_found'],
    handle: ({ db, params }) => listOperatorOrderItems(db, params.order_id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/move/',
    operationId: 'moveOrder',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Move an order',
    description:
      'Moves an order one step forward (`new`, `processing`, `fulfilling`, `shipped`, `completed`), or from the first three states to `canceled`, with a reason. It also moves back, from `fulfilling` to `processing` and from there to `new`. Moving to `shipped` ships everything that is open in one shipment, which takes the goods out of the stock; completing reduces the exposure of the contract; cancelling releases both. Moving back and cancelling are possible until something is shipped. An order that is in the state already stays unchanged.',
    params: { order_id },
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
    handle: ({ db, actor, params, form, request_id }) =>
      moveOrder(db, { ...params, ...moveOf(form), actor: operatorActor(actor), request_id }, stateLabels),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/shipments/',
    operationId: 'shipOrder',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Ship an order, or a part of it',
    description: `Records a shipment of an order in \`fulfilling\`: its goods leave the stock. Without \`lines\`, everything that is open is shipped. The order stays in \`fulfilling\` while anything is open, and becomes \`shipped\` with the last piece. Its client is informed by the event \`order.shipped\`.${orderAsItIs}`,
    params: { order_id },
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
    handle: ({ db, actor, params, form, request_id, retry }) =>
      shipOrder(
        db,
        {
          ...params,
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
    method: 'GET',
    path: '/operator/v1/stocks/{stock_id}/pick-list/',
    operationId: 'listPickList',
    tag: 'Orders',
    permission: 'view',
    summary: 'List what is to be picked in a stock',
    description: `The orders of the stock in \`fulfilling\`, oldest first, with what is open of each line. Virtual orders and orders on hold are not listed. A page has at most ${ordersWithLinesMax} orders. With \`Accept: text/html\` the list is a page to print on A4, with a box to tick for each line.`,
    params: { stock_id: id('The stock.', exampleIds.stock_id) },
    query: pageFields,
    data: refer(PickedOrder),
    paged: true,
    page: ({ result, params, more }) => pickListPage(result as PickedOrder[], Number(params['stock_id']), more),
    refusals: ['stock_not_found'],
    handle: ({ db, params, page }) => listPickList(db, params.stock_id, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/close-open/',
    operationId: 'closeOpen',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Close what will not be delivered',
    description:
      "For an order in `fulfilling` of which a part has been shipped: the rest will not be delivered. The quantities fall to what is shipped, and with them the totals, the reserved stock and the exposure of the contract. The order becomes `shipped`. The reason is recorded in the order's history.",
    params: { order_id },
    form: {
      reason: text({ max: 500, description: 'The reason; shown to the client.', example: 'Out of production.' }),
      expected: expectedOpen,
    },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_move_refused', 'order_held', 'nothing_shipped', 'expected_differs'],
    handle: ({ db, actor, params, form, request_id }) =>
      closeOpen(db, { ...params, ...form, actor: operatorActor(actor), request_id }, stateLabels),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/clear-virtual/',
    operationId: 'clearVirtual',
    tag: 'Orders',
    permission: 'decide',
    summary: 'Clear the virtual mark of an order',
    description:
      'Reserves the goods of all lines, or of none, and turns the order into a normal one. Possible in `new`, `processing` and `fulfilling`. An order that is not virtual stays unchanged.',
    params: { order_id },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'virtual_not_clearable', 'out_of_stock'],
    handle: ({ db, actor, params, request_id }) =>
      clearVirtual(db, { ...params, actor: operatorActor(actor), request_id }, stateLabels),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/move/',
    operationId: 'moveOrders',
    tag: 'Orders',
    permission: 'decide',
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
]

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
