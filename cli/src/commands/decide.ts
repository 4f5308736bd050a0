import type { OperatorAdjustment } from '../../../service/src/orders/adjustment.ts'
import type { OperatorOrder } from '../../../service/src/orders/operator-order.ts'
import { command, wholeNumber, wrongUse, type Context } from '../command.ts'
import { findOrder, withOrderNumber } from '../find-order.ts'

const requestArguments = ['cancellation|adjustment', 'NUMBER'] as const
const numbers =
  'NUMBER is the order number for a cancellation, and the adjustment id for an adjustment. `parts inbox` shows both words in the column REQUEST.'

export const acceptCommand = command({
  name: 'accept',
  summary: 'accept a cancellation or an adjustment',
  arguments: requestArguments,
  notes: [
    numbers,
    'Stock, contract limit and order state are checked again. A request that is no longer possible, or was already decided, is refused with the reason.',
  ],
  examples: ['accept cancellation 100234', 'accept adjustment 88'],
  run: (call) => decide('accept', call, undefined),
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

async function decide(decision: Decision, call: Context, json: { message: string } | undefined): Promise<void> {
  const [kind, text = ''] = call.arguments
  const body = json === undefined ? {} : { json }
  if (kind === 'adjustment') return decideAdjustment(decision, wholeNumber(text, 'An adjustment id'), call, body)
  if (kind === 'cancellation') return decideCancellation(decision, wholeNumber(text, 'An order number'), call, body)
  throw wrongUse({ name: decision }, `The request must be 'cancellation' or 'adjustment', not '${kind}'.`)
}

async function decideAdjustment(
  decision: Decision,
  id: number,
  { service, output }: Context,
  body: object,
): Promise<void> {
  const decided = await service.call<OperatorAdjustment>('POST', `/operator/v1/adjustments/${id}/${decision}/`, body)
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
  body: object,
): Promise<void> {
  const { order_id } = await findOrder(service, number)
  const decided = await withOrderNumber(number, () =>
    service.call<OperatorOrder>('POST', `/operator/v1/orders/${order_id}/cancellation/${decision}/`, body),
  )
  if (output.json) return output.data(decided)
  output.line(
    decision === 'accept'
      ? `Accepted the cancellation of order ${number}.`
      : `Rejected the cancellation of order ${number}; its state is ${decided.order_state_id} again.`,
  )
}
