import { command, wholeNumber, wrongUse, type Context } from '../command.ts'
import { withConfirmation, yesOption } from '../confirm.ts'
import { onOrder } from '../find-order.ts'

const requestArguments = ['cancellation|adjustment|return', 'NUMBER'] as const
const numbers =
  'NUMBER is the order number for a cancellation, and the id of the request for an adjustment or a return. `parts inbox` shows both words in the column REQUEST.'

export const acceptCommand = command({
  name: 'accept',
  summary: 'accept a cancellation, adjustment or return',
  arguments: requestArguments,
  options: {
    ...yesOption,
    instruction: { value: 'TEXT', meaning: 'how the goods of a return come back, which the client can read' },
  },
  notes: [
    numbers,
    'Stock, contract limit and order state are checked again. A request that is no longer possible, or was already decided, is refused with the reason.',
    'An adjustment far above the present quantity must be confirmed: at a terminal you are asked, otherwise use --yes.',
  ],
  examples: [
    'accept cancellation 100234',
    'accept adjustment 88',
    'accept return 6 --instruction "Send it to our Berlin stock."',
  ],
  run: (call) => decide('accept', call, call.options),
})

export const rejectCommand = command({
  name: 'reject',
  summary: 'reject a cancellation, adjustment or return; say why',
  arguments: requestArguments,
  options: { message: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: [
    numbers,
    'A return that was accepted can be rejected too, if the goods do not come: the client can then request it again.',
  ],
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
  readonly instruction?: string | undefined
}

async function decide(decision: Decision, call: Context, options: Options): Promise<void> {
  const [kind, text = ''] = call.arguments
  if (kind === 'adjustment') return decideAdjustment(wholeNumber(text, 'An adjustment id'), call, options)
  if (kind === 'cancellation') return decideCancellation(wholeNumber(text, 'An order number'), call, options)
  if (kind === 'return') return decideReturn(wholeNumber(text, 'The id of a request'), call, options)
  throw wrongUse({ name: decision }, `The request must be 'cancellation', 'adjustment' or 'return', not '${kind}'.`)
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

async function decideReturn(
  return_request_id: number,
  { api, output }: Context,
  { message, instruction }: Options,
): Promise<void> {
  if (message === undefined && instruction === undefined)
    throw wrongUse({ name: 'accept' }, '`parts accept return` requires --instruction.')
  const decided = await (message === undefined
    ? api().acceptReturnRequest({ return_request_id, instruction: instruction ?? '' })
    : api().rejectReturnRequest({ return_request_id, message }))
  if (output.json) return output.data(decided)
  const pieces = decided.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  output.line(`${message === undefined ? 'Accepted' : 'Rejected'} the return ${return_request_id} of ${pieces} pieces.`)
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
