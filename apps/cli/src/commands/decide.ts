import type { OperatorAdjustment } from '../../../service/src/orders/adjustment.ts'
import type { OperatorOrder } from '../../../service/src/orders/operator-order.ts'
import { command, wholeNumber, wrongUse, type Context } from '../command.ts'
import { withConfirmation, yesOption } from '../confirm.ts'
import { findOrder, withOrderNumber } from '../find-order.ts'

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
  run: (call) => decide('accept', call, {}, call.options.yes),
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

/** Some decisions have no body. */
const bodyOf = (json: object): { json?: object } => (Object.keys(json).length === 0 ? {} : { json })

type Decision = 'accept' | 'reject'

async function decide(decision: Decision, call: Context, json: { message?: string }, yes = false): Promise<void> {
  const [kind, text = ''] = call.arguments
  if (kind === 'adjustment') return decideAdjustment(decision, wholeNumber(text, 'An adjustment id'), call, json, yes)
  if (kind === 'cancellation') return decideCancellation(decision, wholeNumber(text, 'An order number'), call, json)
  throw wrongUse({ name: decision }, `The request must be 'cancellation' or 'adjustment', not '${kind}'.`)
}

async function decideAdjustment(
  decision: Decision,
  id: number,
  { service, output }: Context,
  json: { message?: string },
  yes: boolean,
): Promise<void> {
  const path = `/operator/v1/adjustments/${id}/${decision}/`
  const decided = await withConfirmation(yes, (confirmation) =>
    service.call<OperatorAdjustment>('POST', path, bodyOf({ ...json, ...confirmation })),
  )
  if (output.json) return output.data(decided)
  const { requested_quantity, quantity_before } = decided.request
  const changes = decided.adjustment_items.map(({ sku, difference }) => {
    const before = decision === 'accept' ? requested_quantity - difference : quantity_before
    return `${sku} ${before} → ${requested_quantity}`
  })
  output.line(`${decision === 'accept' ? 'Accepted' : 'Rejected'} adjustment ${id}: ${changes.join(', ')}.`)
}

async function decideCancellation(
  decision: Decision,
  number: number,
  { service, output }: Context,
  json: { message?: string },
): Promise<void> {
  const { order_id, order_total } = await findOrder(service, number)
  const decided = await withOrderNumber(number, () =>
    service.call<OperatorOrder>('POST', `/operator/v1/orders/${order_id}/cancellation/${decision}/`, {
      json: { ...json, expected: order_total },
    }),
  )
  if (output.json) return output.data(decided)
  output.line(
    decision === 'accept'
      ? `Accepted the cancellation of order ${number}.`
      : `Rejected the cancellation of order ${number}; its state is ${decided.order_state_id} again.`,
  )
}
