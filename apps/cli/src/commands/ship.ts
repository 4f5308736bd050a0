import type { OperatorOrder } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse } from '../command.ts'
import { onOrder } from '../find-order.ts'
import { formatAmount } from '../format.ts'
import { forEachOrder, numbersNote, readNumbers } from '../many-orders.ts'
import { exitCodes, Problem, type ExitCode } from '../problem.ts'

export const shipCommand = command({
  name: 'ship',
  summary: 'ship orders, or a part of one',
  arguments: ['NUMBERS'],
  options: {
    line: {
      value: 'ARTICLE=QUANTITY',
      meaning: 'ship this much of the line with this article or id; may be repeated. Without it, everything open',
      multiple: true,
    },
    carrier: { value: 'TEXT', meaning: 'who carries it' },
    tracking: { value: 'TEXT', meaning: "the carrier's number or address for tracking it" },
  },
  notes: [
    'The order must be in fulfilling. It stays there while anything is open, and becomes shipped with the last piece. The goods leave the stock. The client can read the carrier and the tracking text.',
    numbersNote,
  ],
  examples: [
    'ship 100234 --carrier DHL --tracking 00340434161094015902',
    'ship 100234 --line JF-11024=3 --line BN-280-V=1',
    'ship @loaded.txt --carrier "Own truck"',
  ],
  run: async (call): Promise<ExitCode | void> => {
    const numbers = await readNumbers(call.arguments[0])
    const { line: given, carrier, tracking } = call.options
    if (given.length > 0 && numbers.length > 1)
      throw wrongUse({ name: 'ship' }, '--line is for one order; without it, everything that is open is shipped.')
    return forEachOrder(call, numbers, {
      send: async (found) => {
        const lines = given.length === 0 ? undefined : given.map((one) => lineOf(one, found))
        return call.api().shipOrder({ order_id: found.order_id, lines, carrier, tracking, expected: openOf(found) })
      },
      describe: (number, { items, shipments }) => {
        const open = openOf({ items })
        const rest = open === 0 ? 'Nothing is open' : `${open} still open`
        return `Shipped order ${number} (shipment ${shipments.at(-1)?.shipment_id}). ${rest}.`
      },
    })
  },
})

/** The pieces of an order that are not shipped. */
const openOf = ({ items }: Pick<OperatorOrder, 'items'>): number =>
  items.reduce((sum, { order_item_open }) => sum + order_item_open, 0)

/** A line of the order, by its article or id, with a quantity. */
export function lineOf(
  text: string,
  { items, order_number }: OperatorOrder,
): { order_item_id: number; quantity: number } {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new Problem(exitCodes.usage, `--line must be ARTICLE=QUANTITY, not '${text}'.`)
  const name = text.slice(0, at)
  const line = items.find(
    ({ order_item_id, order_item: { item_vendor_code } }) =>
      String(order_item_id) === name || item_vendor_code.toLowerCase() === name.toLowerCase(),
  )
  if (line === undefined) throw new Problem(exitCodes.refused, `Order ${order_number} has no line '${name}'.`)
  return { order_item_id: line.order_item_id, quantity: wholeNumber(text.slice(at + 1), 'The quantity of --line') }
}

export const closeOpenCommand = command({
  name: 'close-open',
  summary: 'close the rest of a partly shipped order',
  arguments: ['NUMBER'],
  options: { reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: [
    'The quantities fall to what is shipped, and with them the totals, the reserved stock and the exposure of the contract. The order becomes shipped.',
  ],
  examples: ['close-open 100234 --reason "Out of production."'],
  run: async ({ arguments: [text = ''], options: { reason }, output, api }) => {
    const number = wholeNumber(text, 'An order number')
    const closed = await onOrder(api(), number, (found) =>
      api().closeOpen({ order_id: found.order_id, reason, expected: openOf(found) }),
    )
    if (output.json) return output.data(closed)
    output.line(
      `Closed order ${number}: its state is ${closed.order_state_id}, its total ${formatAmount(closed.order_total, closed.terms.currency_code)}.`,
    )
  },
})
