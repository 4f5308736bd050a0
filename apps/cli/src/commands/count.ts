import type { StockCount } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse } from '../command.ts'
import type { Column } from '../table.ts'

export const countCommand = command({
  name: 'count',
  summary: 'record how many pieces of an item were counted in a stock',
  arguments: ['STOCK_ID', 'ITEM_ID', 'PIECES'],
  options: {
    reason: { value: 'TEXT', meaning: 'why the level is corrected', required: true },
    expected: {
      value: 'PIECES',
      meaning: 'the level that you were shown; if it is another by now, nothing is changed',
    },
  },
  notes: [
    'If orders have reserved more, the rest is a shortage: nothing new can be reserved until arrivals cover it. The orders that the stock can no longer serve are listed, oldest first.',
  ],
  examples: [
    'count 1 1024 37 --reason "Damaged by water."',
    'count 1 1024 37 --reason "Damaged by water." --expected 40',
  ],
  run: async ({ arguments: [stock = '', item = '', pieces = ''], options, output, api }) => {
    const count = {
      stock_id: wholeNumber(stock, 'A stock id'),
      item_id: wholeNumber(item, 'An item id'),
      on_hand: piecesOf(pieces),
      reason: options.reason,
      expected: options.expected === undefined ? undefined : piecesOf(options.expected),
    }
    const counted = await api().countStock(count)
    if (output.json) return output.data(counted)
    const { item_vendor_code, stock_name, on_hand_before, on_hand, reserved, shortage } = counted
    output.line(`${item_vendor_code} in ${stock_name}: ${on_hand_before} → ${on_hand}, ${reserved} reserved.`)
    if (counted.affected_orders.length === 0) return
    output.line(
      shortage === 0
        ? `These orders wait for ${reserved - on_hand} pieces:`
        : `${shortage} are missing for these orders:`,
    )
    await output.table(affectedColumns, counted.affected_orders)
  },
})

function piecesOf(text: string): number {
  if (!/^\d{1,10}$/.test(text))
    throw wrongUse({ name: 'count' }, `PIECES must be a whole number of pieces, not '${text}'.`)
  return Number(text)
}

const affectedColumns: readonly Column<StockCount['affected_orders'][number]>[] = [
  { title: 'ORDER', of: ({ order_number }) => order_number, whole: true },
  { title: 'PLACED', of: ({ order_create_datetime }) => order_create_datetime.slice(0, 16), whole: true },
  { title: 'CLIENT', of: ({ client_name }) => client_name },
  { title: 'STATE', of: ({ order_state_id }) => order_state_id },
  { title: 'OPEN', of: ({ open }) => open, right: true, whole: true },
  { title: 'MISSING', of: ({ short }) => short, right: true, whole: true },
]
