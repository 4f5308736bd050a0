import type { OperatorOrder } from '../../../service/src/orders/operator-order.ts'
import { command, wholeNumber, type Context } from '../command.ts'
import { findOrder, withOrderNumber } from '../find-order.ts'

export const holdCommand = command({
  name: 'hold',
  summary: 'put an order on hold, with a reason',
  arguments: ['NUMBER'],
  options: { reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: ['Nobody moves the order until it is released. Its goods stay reserved.'],
  examples: ['hold 100234 --reason "Payment is overdue."'],
  run: async (call) => {
    const { number, order } = await send(call, 'hold', { json: { reason: call.options.reason } })
    if (call.output.json) return call.output.data(order)
    call.output.line(`Order ${number} is on hold: ${order.hold_reason}`)
  },
})

export const releaseCommand = command({
  name: 'release',
  summary: 'release an order that is on hold',
  arguments: ['NUMBER'],
  examples: ['release 100234'],
  run: async (call) => {
    const { number, order } = await send(call, 'release', {})
    if (call.output.json) return call.output.data(order)
    call.output.line(`Order ${number} is not on hold; its state is ${order.order_state_id}.`)
  },
})

async function send(
  { arguments: [text = ''], service }: Context,
  action: 'hold' | 'release',
  body: { json?: { reason: string } },
): Promise<{ number: number; order: OperatorOrder }> {
  const number = wholeNumber(text, 'An order number')
  const { order_id } = await findOrder(service, number)
  const order = await withOrderNumber(number, () =>
    service.call<OperatorOrder>('POST', `/operator/v1/orders/${order_id}/${action}/`, body),
  )
  return { number, order }
}
