import { command, wholeNumber, wrongUse, type Context } from '../command.ts'
import { withConfirmation, yesOption } from '../confirm.ts'
import { onOrder } from '../find-order.ts'

const requestArguments = ['cancellation|adjustment', 'NUMBER'] as const
const numbers =
  'NUMBER is the order number for a cancellation, and the adjustment id for an adjustment. `parts inbox` shows both words in the column REQUEST.'

export const acceptCommand = command({
  name: 'accept',
  summary: 'accept a cancellation or an adjustment',
  arguments: requestArguments,
  options: yesOption,
  notes: [
    numbers,
    'Stock, contract limit and order state are checked again. A request that is no longer possible, or was already decided, is refused with the reason.',
    'An adjustment far above the present quantity must be confirmed: at a terminal you are asked, otherwise use --yes.',
  ],
  examples: ['accept cancellation 100234', 'accept adjustment 88'],
  run: (call) => decide('accept', call, { yes: call.options.yes }),
})

export const rejectCommand = command({
  name: 'reject',
  summary: 'reject a cancellation or an adjustment, with a reason',
  arguments: requestArguments,
  options: { message: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: [numbers],
  examples: [
    'reject cancellation 100234 --message "Already being loaded."',
    'reject adjustment 88 --message "Only 40 are left."',
  ],
  run: (call) => decide('reject', call, { message: call.options.message }),
})

type Decision = 'accept' | 'reject'

interface Options {
  /** Why it is rejected; without it, it is accepted. */
  readonly message?: string
  readonly yes?: boolean
}

async function decide(decision: Decision, call: Context, options: Options): Promise<void> {
  const [kind, text = ''] = call.arguments
  if (kind === 'adjustment') return decideAdjustment(wholeNumber(text, 'An adjustment id'), call, options)
  if (kind === 'cancellation') return decideCancellation(wholeNumber(text, 'An order number'), call, options)
  throw wrongUse({ name: decision }, `The request must be 'cancellation' or 'adjustment', not '${kind}'.`)
}

async function decideAdjustment(
  adjustment_id: number,
  { api, output }: Context,
  { message, yes = false }: Options,
): Promise<void> {
  const decided = await (message === undefined
    ? withConfirmation(yes, (confirmation) => api().acceptAdjustment({ adjustment_id, ...confirmation }))
    : api().rejectAdjustment({ adjustment_id, message }))
  if (output.json) return output.data(decided)
  const { requested_quantity, quantity_before } = decided.request
  const changes = decided.adjustment_items.map(({ sku, difference }) => {
    const before = message === undefined ? requested_quantity - difference : quantity_before
    return `${sku} ${before} → ${requested_quantity}`
  })
  output.line(`${message === undefined ? 'Accepted' : 'Rejected'} adjustment ${adjustment_id}: ${changes.join(', ')}.`)
}

async function decideCancellation(number: number, { api, output }: Context, { message }: Options): Promise<void> {
  const decided = await onOrder(api(), number, ({ order_id, order_total: expected }) =>
    message === undefined
      ? api().acceptCancellation({ order_id, expected })
      : api().rejectCancellation({ order_id, message, expected }),
  )
  if (output.json) return output.data(decided)
  output.line(
    message === undefined
      ? `Accepted the cancellation of order ${number}.`
      : `Rejected the cancellation of order ${number}; its state is ${decided.order_state_id} again.`,
  )
}
