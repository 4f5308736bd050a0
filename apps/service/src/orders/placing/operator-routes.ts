/** Operator routes that order for a client: from lines, as on the phone, or from a cart of the client. */
import Type from 'typebox'
import { orderedFields, placeOrderFields } from '../order-input.ts'
import { OrderForClient, orderForClient, previewOrderForClient } from './order-for-client.ts'
import { placeOrder } from './place-order.ts'
import { Quote, quoteLines } from './quote-lines.ts'
import { operatorForClient } from '../../identity/actor.ts'
import { linesPerCartMax } from '../../carts/cart.ts'
import { ofKnownClient } from '../../clients/of-known-client.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { amount, flag, id, optional } from '../../input/fields.ts'
import { requestedLines } from '../../input/requested-lines.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const client_id = id('The client.', exampleIds.client_id)
const contact_id = optional(
  id(
    "The contact of the client who orders; if absent, the client's first contact who is not erased.",
    exampleIds.contact_id,
  ),
)

/** In the first entry of the order's history, which the client reads too. Its events name the operator and the client. */
const remark = 'Ordered by the distributor for the client.'

export const placingForClientRoutes: readonly Route[] = [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/quote/',
    operationId: 'quoteForClient',
    tag: 'On behalf',
    permission: 'view',
    trace: 'none: it changes nothing',
    summary: 'Quote lines for a client',
    description:
      'What these lines would cost the client now, with free pieces and the day on which each of its stocks can ship them. Nothing is changed or reserved. Each line is judged on its own: one that cannot be ordered has its `error`, and the items that it may mean in `near`. The totals are those of the other lines.',
    params: { client_id },
    form: {
      stock_id: id('The stock to take the goods from.', exampleIds.stock_id),
      contract_id: optional(id('The contract; the default contract if absent.', exampleIds.contract_id)),
      lines: requestedLines({ max: linesPerCartMax, description: 'What would be ordered.' }),
    },
    data: refer(Quote),
    refusals: ['client_not_found', 'contract_not_found'],
    rowCodes: [
      'article_not_found',
      'article_ambiguous',
      'item_not_on_sale',
      'item_not_priced',
      'line_quantity_exceeded',
      'quantity_not_allowed',
      'out_of_stock',
    ],
    handle: ({ db, params: { client_id }, form: { stock_id, contract_id, lines } }) =>
      ofKnownClient(db, client_id, () => quoteLines(db, { client_id, stock_id, contract_id, lines })),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/orders/',
    operationId: 'orderForClient',
    urgency: 'orders',
    tag: 'On behalf',
    permission: 'decide',
    trace: 'event order.created',
    summary: 'Order for a client',
    description:
      "Places an order of these lines, for example one that the client dictates on the phone. Prices, discount, tax, stock and limit are those of the client's own orders, and a blocked client cannot order. With `dry_run`, nothing is ordered: the answer is what the order would cost. Send its `order_total` as `expected_total`, and the order is placed at that total or not at all. The log names the operator and the client, and the first entry of the order's history says that the distributor ordered.",
    params: { client_id },
    form: {
      stock_id: id('The stock to take the goods from.', exampleIds.stock_id),
      contract_id: optional(id('The contract; the default contract if absent.', exampleIds.contract_id)),
      contact_id,
      lines: requestedLines({ max: linesPerCartMax, description: 'What is ordered.' }),
      ...orderedFields,
      expected_total: optional(
        amount({
          max: 999_999_999_999,
          digits: 3,
          description: 'The total that the order must have; otherwise it is refused.',
          example: 416.68,
        }),
      ),
      dry_run: optional(
        flag({ description: 'With true, nothing is ordered: the answer is what it would cost.', example: false }),
      ),
    },
    takesIdempotencyKey: true,
    data: refer(OrderForClient),
    refusals: [
      'country_code_unknown',
      'region_code_unknown',
      'address_not_found',
      'client_not_found',
      'contact_not_found',
      'contract_not_found',
      'stock_not_found',
      'client_blocked',
      'contract_blocked',
      'stock_not_serving',
      'article_not_found',
      'article_ambiguous',
      'item_not_on_sale',
      'item_not_priced',
      'line_quantity_exceeded',
      'quantity_not_allowed',
      'reference_used',
      'order_total_differs',
      'out_of_stock',
      'contract_limit_exceeded',
      'order_total_too_large',
      'idempotency_key_used',
    ],
    handle: ({ db, actor, params, form, request_id, retry }) => {
      const { stock_id, contract_id, contact_id: contact, lines, expected_total, dry_run, ...input } = form
      return (dry_run === true ? previewOrderForClient : orderForClient)(db, {
        client_id: params.client_id,
        contact_id: contact,
        stock_id,
        contract_id,
        lines,
        expected_total,
        input,
        remark,
        actor: operatorForClient(actor, params.client_id),
        request_id,
        retry,
      })
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/orders/from-cart/',
    operationId: 'orderCartForClient',
    urgency: 'orders',
    tag: 'On behalf',
    permission: 'decide',
    trace: 'event order.created',
    summary: "Order a group of a client's cart for it",
    description:
      'As the client places an order: the group is ordered exactly as it was shown and exactly once, by the operator or by the client. Repeating the request with the same key and fields always returns the same order, and so does a request of the client with the same fields.',
    params: { client_id },
    form: { ...placeOrderFields, contact_id },
    data: Type.Object({
      created_order_id: Type.Integer({
        description: 'The new order; on a repeated request, the order that the first request created.',
      }),
    }),
    refusals: [
      'country_code_unknown',
      'region_code_unknown',
      'address_not_found',
      'client_not_found',
      'contact_not_found',
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
    handle: ({ db, actor, params, form: { contact_id: contact = null, ...form }, request_id }) => {
      const by = { remark, actor: operatorForClient(actor, params.client_id), request_id }
      return ofKnownClient(db, params.client_id, () =>
        placeOrder(db, { client_id: params.client_id, contact_id: contact, ...by }, form),
      )
    },
  }),
]
