/** Operator routes for the documents of an order. */
import { orderName, withOrderId } from '../finding/named-order.ts'
import { putDocument, removeDocument } from './documents.ts'
import { documentKinds, documentsMax, exampleDocument } from '../order-document.ts'
import { OperatorOrder } from '../operator-order.ts'
import type { OrderSettings } from '../reading/read-orders.ts'
import { operatorActor } from '../../identity/actor.ts'
import { choice, day, optional, text, type Field } from '../../input/fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

const kind = choice(documentKinds, { description: 'What it is.', example: 'invoice' })
const number = text({ max: 100, description: "The document's number.", example: exampleDocument.number })

const urlLengthMax = 2_000 // What every browser and proxy takes.
const url: Field<string> = {
  required: true,
  schema: {
    type: 'string',
    format: 'uri',
    pattern: '^https://',
    maxLength: urlLengthMax,
    description: 'Where it is. Clients open it as it is: your server decides who may read it.',
    examples: [exampleDocument.url],
  },
  rule: `an https URL of at most ${urlLengthMax} characters`,
  read: (raw) => {
    const read = URL.parse(raw)
    return read?.protocol === 'https:' && read.href.length <= urlLengthMax ? read.href : undefined
  },
}

export const documentRoutes = ({ stateLabels }: OrderSettings): Route[] => [
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/orders/{order_id}/documents/',
    operationId: 'putDocument',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.document_added',
    summary: 'Put a document on an order',
    description: `A link to an invoice or another document, which the client sees with \`include=documents\`; an order has up to ${documentsMax}. A document of the same kind and number is replaced. Repeating the request changes nothing and records no event. Possible in every state of the order.`,
    params: { order_id: orderName },
    form: {
      kind,
      number,
      url,
      issued_on: optional(day({ description: 'The day on which it was issued.', example: exampleDocument.issued_on })),
    },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'order_documents_full'],
    handle: async ({ db, actor, params, form, request_id }) =>
      putDocument(
        db,
        { ...(await withOrderId(db, params)), ...form, actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/orders/{order_id}/documents/',
    operationId: 'removeDocument',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event order.document_removed',
    summary: 'Remove a document from an order',
    description: 'The link is removed. The document itself is not in this service.',
    params: { order_id: orderName },
    query: { kind, number },
    data: refer(OperatorOrder),
    refusals: ['order_not_found', 'document_not_found'],
    handle: async ({ db, actor, params, query, request_id }) =>
      removeDocument(
        db,
        { ...(await withOrderId(db, params)), ...query, actor: operatorActor(actor), request_id },
        stateLabels,
      ),
  }),
]
