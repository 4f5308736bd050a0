import type { OperatorOrder } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse } from '../command.ts'
import { onOrder } from '../find-order.ts'
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
