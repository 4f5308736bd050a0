/** Commands that correct an order: notes, lines, the shipping date, and undoing a cancellation. */
import type { FullOrder, LineChange, OperatorOrder } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse, type Context } from '../command.ts'
import { atTerminal, confirmed } from '../confirm.ts'
import { onOrder } from '../find-order.ts'
import { formatMoney } from '../format.ts'
import type { Output } from '../output.ts'
import { exitCodes, Problem, type ExitCode } from '../problem.ts'

export const noteCommand = command({
  name: 'note',
  summary: 'add a note to an order, internal or for the client',
  arguments: ['NUMBER', 'TEXT'],
  options: { client: { meaning: 'add it to the history, which the client reads' } },
  notes: ['Without --client, only operators see the note. `parts order` shows both.'],
  examples: ['note 100234 "Call before loading."', 'note 100234 "One disc comes from another batch." --client'],
  run: async (call) => {
    const { client } = call.options
    const { number, order } = await correct(call, (order_id, text) =>
      call.api().addNote({ order_id, text, internal: !client }),
    )
    if (call.output.json) return call.output.data(order)
    call.output.line(`Added ${client ? 'a note for the client' : 'an internal note'} to order ${number}.`)
  },
})

export const rescheduleCommand = command({
  name: 'reschedule',
  summary: 'change the shipping date of an order',
  arguments: ['NUMBER', 'DATE'],
  notes: ['Possible in new and processing, for a day on which the stock ships.'],
  examples: ['reschedule 100234 2026-12-01'],
  run: async (call) => {
    const { number, order } = await correct(call, (order_id, shipping_date) =>
      call.api().rescheduleOrder({ order_id, shipping_date }),
    )
    if (call.output.json) return call.output.data(order)
    call.output.line(`Order ${number} ships on ${order.order_shipping_datetime?.slice(0, 10)}.`)
  },
})

export const undoCommand = command({
  name: 'undo',
  summary: 'undo the cancellation of an order',
  arguments: ['NUMBER'],
  options: { reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: [
    'Possible for 24 hours, if stock and limit allow: the order returns to its state before the cancellation, and its goods are reserved again. A wrong move is taken back with `parts move`, one step at a time, while nothing is shipped.',
  ],
  examples: ['undo 100234 --reason "Cancelled by mistake."'],
  run: async (call) => {
    const { reason } = call.options
    const { number, order } = await correct(call, (order_id) => call.api().undoCancellation({ order_id, reason }))
    if (call.output.json) return call.output.data(order)
    call.output.line(`Order ${number} is ${order.order_state_id} again.`)
  },
})

async function correct(
  { arguments: [text = '', value = ''], api }: Context,
  send: (order_id: number, value: string) => Promise<OperatorOrder>,
): Promise<{ number: number; order: OperatorOrder }> {
  const number = wholeNumber(text, 'An order number')
  return { number, order: await onOrder(api(), number, ({ order_id }) => send(order_id, value)) }
}

export const lineCommand = command({
  name: 'line',
  summary: 'change, remove or add a line of an order',
  arguments: ['NUMBER', 'ARTICLE', 'QUANTITY'],
  options: {
    reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true },
    add: { meaning: 'add a line for an article that the order does not have' },
    'dry-run': { meaning: 'show the effect and change nothing' },
    yes: { meaning: 'do not ask for confirmation at a terminal' },
  },
  notes: [
    'QUANTITY is the new quantity of the line; 0 removes it. Reducing is possible until the order is shipped, never below what is shipped; raising and adding in new and processing, if stock and limit allow. An order without lines is cancelled.',
    'At a terminal the effect is shown first and must be confirmed.',
  ],
  examples: [
    'line 100234 JF-11024 3 --reason "One is damaged."',
    'line 100234 JF-11024 0 --reason "Sold out." --dry-run',
    'line 100234 JF-11025 2 --add --reason "Ordered by phone."',
  ],
  run: async (call): Promise<ExitCode | void> => {
    const [text = '', , pieces = ''] = call.arguments
    const number = wholeNumber(text, 'An order number')
    if (!/^\d{1,7}$/.test(pieces)) throw wrongUse({ name: 'line' }, `QUANTITY must be a whole number, not '${pieces}'.`)
    return onOrder(call.api(), number, (order) => changeLine(call, order, Number(pieces)))
  },
})

type LineCall = Context & { options: { reason: string; add: boolean; 'dry-run': boolean; yes: boolean } }

async function changeLine(call: LineCall, order: FullOrder, quantity: number): Promise<ExitCode | void> {
  const { output, options } = call
  const change = lineRequest(call, order, quantity)
  let shown: LineChange | undefined
  if (options['dry-run'] || (atTerminal() && !options.yes && !output.json)) {
    shown = await change(true)
    if (output.json) return output.data(shown)
    showEffect(output, shown)
    if (options['dry-run']) return
    if (!(await confirmed('Change the order?'))) {
      output.note('Nothing was changed.')
      return exitCodes.refused
    }
  }
  const made = await change(false, shown)
  if (output.json) return output.data(made)
  output.line(
    `Changed order ${made.order_number}: ${made.item_vendor_code} ${made.quantity_before} → ${made.quantity_after}, total ${formatMoney(made.total_after)}, state ${made.state_after}.`,
  )
}

/** Sends the change, or only asks for its effect. What was shown of the order has to be true still. */
function lineRequest(
  { arguments: [, article = ''], options: { reason, add }, api }: LineCall,
  { order_id, order_number, items }: FullOrder,
  quantity: number,
): (dry_run: boolean, shown?: LineChange) => Promise<LineChange> {
  if (add)
    return (dry_run, shown) =>
      api().addLine({ order_id, article, quantity, reason, dry_run, expected: shown?.total_after })
  const keyOf = (code: string): string => code.toLowerCase().replaceAll(/[\s\-./]/g, '')
  const line = items.find(({ order_item }) => keyOf(order_item.item_vendor_code) === keyOf(article))
  if (line === undefined)
    throw new Problem(
      exitCodes.refused,
      `Order number ${order_number} has no line of '${article}'.`,
      `Run \`parts order ${order_number}\` to see its lines, or add one with --add.`,
    )
  const { order_item_id, order_item_quantity: expected } = line
  return (dry_run) => api().changeLine({ order_id, order_item_id, quantity, reason, dry_run, expected })
}

function showEffect(output: Output, effect: LineChange): void {
  const arrow = (before: string | number, after: string | number): string =>
    before === after ? String(before) : `${before} → ${after}`
  const money = (before: number, after: number): string => arrow(formatMoney(before), formatMoney(after))
  output.line(`Order ${effect.order_number}`, 'bold')
  const { available_after, limit_left_after, closed_adjustment_id } = effect
  const pairs: [string, string | null][] = [
    ['Line', `${effect.item_vendor_code}, ${effect.item_title}, ${formatMoney(effect.order_item_price)} each`],
    ['Quantity', arrow(effect.quantity_before, effect.quantity_after)],
    ['State', arrow(effect.state_before, effect.state_after)],
    ['Total', money(effect.total_before, effect.total_after)],
    ['Tax', money(effect.tax_before, effect.tax_after)],
    ['Discount', money(effect.discount_before, effect.discount_after)],
    ['Free after', available_after === null ? 'any quantity' : String(available_after)],
    ['Limit left', limit_left_after === null ? 'no limit' : formatMoney(limit_left_after)],
    ['Closes', closed_adjustment_id === null ? null : `adjustment ${closed_adjustment_id}`],
  ]
  output.pairs(pairs.filter((pair): pair is [string, string] => pair[1] !== null))
}
