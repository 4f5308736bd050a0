import type { Adjustment } from '../../../service/src/orders/adjustment.ts'
import type { OperatorOrder } from '../../../service/src/orders/operator-order.ts'
import { command, wholeNumber, wrongUse, type Call, type Options } from '../command.ts'
import { findOrder, underItsNumber } from '../find-order.ts'
import { formatSigned } from '../format.ts'

const request = ['cancellation|adjustment', 'NUMBER'] as const
const numbers =
  'NUMBER is the order number of a cancellation, and the id of an adjustment: as `parts inbox` shows them under REQUEST.'

export const acceptCommand = command({
  name: 'accept',
  summary: 'accept a cancellation or an adjustment',
  arguments: request,
  notes: [
    numbers,
    'Stock, limit and state are checked anew: what has become impossible, or has been decided by somebody else, is refused with the reason.',
  ],
  examples: ['accept cancellation 100234', 'accept adjustment 88'],
  run: (call) => decide('accept', call, undefined),
})

export const rejectCommand = command({
  name: 'reject',
  summary: 'reject one, with a reason that the client reads',
  arguments: request,
  options: { message: { value: 'TEXT', meaning: 'the reason', required: true } },
  notes: [numbers],
  examples: [
    'reject cancellation 100234 --message "Already being loaded."',
    'reject adjustment 88 --message "Only 40 are left."',
  ],
  run: (call) => decide('reject', call, { message: call.options.message }),
})

type Decision = 'accept' | 'reject'

async function decide<O extends Options>(
  decision: Decision,
  call: Call<O>,
  json: { message: string } | undefined,
): Promise<void> {
  const [kind, text = ''] = call.arguments
  const body = json === undefined ? {} : { json }
  if (kind === 'adjustment') return decideAdjustment(decision, wholeNumber(text, 'The id of an adjustment'), call, body)
  if (kind === 'cancellation') return decideCancellation(decision, wholeNumber(text, 'An order number'), call, body)
  throw wrongUse({ name: decision }, `Only a cancellation or an adjustment can be decided, not '${kind}'.`)
}

async function decideAdjustment(
  decision: Decision,
  id: number,
  { service, output }: Call,
  body: object,
): Promise<void> {
  const decided = await service.ask<Adjustment>('POST', `/operator/v1/adjustments/${id}/${decision}/`, body)
  if (output.json) return output.data(decided)
  const changes = decided.adjustment_items.map(({ sku, difference }) => `${formatSigned(String(difference))} of ${sku}`)
  output.line(
    decision === 'accept' ? `Adjustment ${id} is accepted: ${changes.join(', ')}.` : `Adjustment ${id} is rejected.`,
  )
}

async function decideCancellation(
  decision: Decision,
  number: number,
  { service, output }: Call,
  body: object,
): Promise<void> {
  const { order_id } = await findOrder(service, number)
  const decided = await underItsNumber(number, () =>
    service.ask<OperatorOrder>('POST', `/operator/v1/orders/${order_id}/cancellation/${decision}/`, body),
  )
  if (output.json) return output.data(decided)
  output.line(
    decision === 'accept'
      ? `Order ${number} is cancelled.`
      : `The cancellation of order ${number} is rejected; its state is ${decided.order_state_id} again.`,
  )
}
