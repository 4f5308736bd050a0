/** What waits for a decision of an operator, and deciding it. */
import { orderName, withOrderId } from '../finding/named-order.ts'
import { acceptAdjustment, rejectAdjustment } from './decide-adjustment.ts'
import { adjustmentStatuses, OperatorAdjustment } from '../adjustment.ts'
import { InboxEntry } from './inbox-entry.ts'
import { listInbox } from './list-inbox.ts'
import { ListedAdjustment, listOperatorAdjustments } from './list-operator-adjustments.ts'
import { decideCancellation } from '../moving/move-order.ts'
import { OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { Counts, readCounts } from './read-counts.ts'
import { operatorActor } from '../../identity/actor.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { confirmed, expectedAmount, expectedPieces } from '../../input/expected.ts'
import { id, listed, optional, text } from '../../input/fields.ts'
import { pageFields } from '../../input/page-fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const adjustment_id = id('The adjustment.', exampleIds.adjustment_id)

const message = text({ max: 500, description: 'The reason; shown to the client.', example: 'Already being loaded.' })

const expectedQuantity = expectedPieces('The quantity of the line', 4)

const expectedTotal = expectedAmount('The `order_total` of the order', 416.68)

export const decisionRoutes = ({
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
      'Open cancellation, adjustment and return requests, oldest first, with the effect of accepting each and the decisions that are possible now.',
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
    trace: 'event order.state_changed',
    summary: 'Accept a cancellation',
    description:
      'Cancels the order: its goods are released, and it no longer counts against the limit of the contract.',
    params: { order_id: orderName },
    form: { expected: expectedTotal },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'cancellation_not_requested', 'expected_differs'],
    handle: async ({ db, actor, params, form, request_id }) =>
      decideCancellation(
        db,
        {
          ...(await withOrderId(db, params)),
          ...form,
          accept: true,
          text: '',
          actor: operatorActor(actor),
          request_id,
        },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/orders/{order_id}/cancellation/reject/',
    operationId: 'rejectCancellation',
    tag: 'Decisions',
    permission: 'decide',
    trace: 'event order.state_changed',
    summary: 'Reject a cancellation',
    description: 'The order returns to the state before the request; the reason is recorded in its history.',
    params: { order_id: orderName },
    form: { message, expected: expectedTotal },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'cancellation_not_requested', 'expected_differs'],
    handle: async ({ db, actor, params, form: { message: why, expected }, request_id }) =>
      decideCancellation(
        db,
        {
          ...(await withOrderId(db, params)),
          expected,
          accept: false,
          text: why,
          actor: operatorActor(actor),
          request_id,
        },
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
    trace: 'event adjustment.decided',
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
    trace: 'event adjustment.decided',
    summary: 'Reject an adjustment',
    description: 'The line stays unchanged; the client can read the reason in the adjustment.',
    params: { adjustment_id },
    form: { message, expected: expectedQuantity },
    data: refer(OperatorAdjustment),
    refusals: ['adjustment_not_found', 'adjustment_decided', 'expected_differs'],
    handle: ({ db, actor, params, form, request_id }) =>
      rejectAdjustment(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
]
