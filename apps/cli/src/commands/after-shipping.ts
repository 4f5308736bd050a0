import type { OperatorOrder } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse } from '../command.ts'
import { findOrder, onOrder } from '../find-order.ts'
import { lineOf } from './ship.ts'

export const returnCommand = command({
  name: 'return',
  summary: 'record that shipped goods came back',
  arguments: ['NUMBER'],
  options: {
    line: {
      value: 'ARTICLE=QUANTITY',
      meaning: 'this much of the line with this article or id came back; may be repeated',
      multiple: true,
    },
    reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true },
    restock: { meaning: 'the goods go back into the stock' },
    request: { value: 'ID', meaning: "the client's accepted request, which ends with the arrival of its goods" },
  },
  notes: [
    'Quantities, totals and state of the order stay: credit notes belong to the ERP. Goods can come back in several returns, up to what was shipped.',
  ],
  examples: [
    'return 100234 --line JF-11024=1 --reason "Does not fit." --restock',
    'return 100234 --line JF-11024=1 --line BN-280-V=2 --reason "Damaged in transport."',
    'return 100234 --line JF-11024=1 --reason "Does not fit." --restock --request 6',
  ],
  run: async ({ arguments: [text = ''], options: { line, reason, restock, request }, output, api }) => {
    const number = wholeNumber(text, 'An order number')
    if (line.length === 0) throw wrongUse({ name: 'return' }, '`parts return` requires --line.')
    const order = await onOrder(api(), number, (found) =>
      api().returnGoods({
        order_id: found.order_id,
        lines: line.map((one) => lineOf(one, found)),
        reason,
        restock,
        ...(request === undefined ? {} : { return_request_id: wholeNumber(request, 'The id of a request') }),
        expected: returnableOf(found),
      }),
    )
    if (output.json) return output.data(order)
    const returned = order.returns.at(-1)
    const pieces = returned?.lines.reduce((sum, { quantity }) => sum + quantity, 0)
    const where = restock ? 'back in the stock' : 'not in the stock'
    output.line(`Recorded return ${returned?.return_id} of order ${number}: ${pieces} pieces, ${where}.`)
  },
})

/** The pieces of an order that were shipped and have not come back. */
function returnableOf({ items, returns }: OperatorOrder): number {
  const shipped = items.reduce((sum, { order_item_shipped }) => sum + order_item_shipped, 0)
  return returns.flatMap(({ lines }) => lines).reduce((left, { quantity }) => left - quantity, shipped)
}

const kinds = ['invoice', 'delivery_note', 'credit_note', 'other'] as const
type Kind = (typeof kinds)[number]

const kindOf = (text: string): Kind => {
  const kind = kinds.find((one) => one === text)
  if (kind === undefined)
    throw wrongUse({ name: 'document' }, `KIND must be one of ${kinds.join(', ')}, not '${text}'.`)
  return kind
}

export const documentCommand = command({
  name: 'document',
  summary: 'put a link to a document on an order, or remove it',
  arguments: ['NUMBER', 'KIND', 'DOCUMENT'],
  options: {
    link: { value: 'URL', meaning: 'where the document is: an https URL' },
    issued: { value: 'DATE', meaning: 'the day on which it was issued' },
    remove: { meaning: 'remove it from the order' },
  },
  notes: [
    `KIND is ${kinds.join(', ')}; DOCUMENT is its number. A document of the same kind and number is replaced. The client sees the link; \`parts order\` shows it.`,
  ],
  examples: [
    'document 100234 invoice R-2026-4711 --link https://documents.distributor.example/R-2026-4711.pdf --issued 2026-11-20',
    'document 100234 invoice R-2026-4711 --remove',
  ],
  run: async ({ arguments: [text = '', word = '', number = ''], options: { link, issued, remove }, output, api }) => {
    const order_number = wholeNumber(text, 'An order number')
    const kind = kindOf(word)
    if (remove === (link !== undefined)) throw wrongUse({ name: 'document' }, 'Either --link or --remove is required.')
    const order =
      link === undefined
        ? await findOrder(api(), order_number).then(({ order_id }) => api().removeDocument({ order_id, kind, number }))
        : await onOrder(api(), order_number, ({ order_id }) =>
            api().putDocument({ order_id, kind, number, url: link, issued_on: issued }),
          )
    if (output.json) return output.data(order)
    output.line(`${remove ? 'Removed' : 'Put'} ${kind} ${number} ${remove ? 'from' : 'on'} order ${order_number}.`)
  },
})
