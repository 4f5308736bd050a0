import type { OperatorOrder } from '../../../service/src/orders/operator-order.ts'
import { command, type Context } from '../command.ts'
import { findOrder } from '../find-order.ts'
import { forEachOrder, numbersNote, readNumbers } from '../many-orders.ts'
import type { ExitCode } from '../problem.ts'

export const holdCommand = command({
  name: 'hold',
  summary: 'put orders on hold, with a reason',
  arguments: ['NUMBERS'],
  options: { reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: ['Nobody moves the order until it is released. Its goods stay reserved.', numbersNote],
  examples: ['hold 100234 --reason "Payment is overdue."', 'hold 100234,100235 --reason "Address unclear."'],
  run: (call) =>
    send(call, 'hold', {
      body: { json: { reason: call.options.reason } },
      describe: (number, { hold_reason }) => `Order ${number} is on hold: ${hold_reason}`,
    }),
})

export const releaseCommand = command({
  name: 'release',
  summary: 'release orders that are on hold',
  arguments: ['NUMBERS'],
  notes: [numbersNote],
  examples: ['release 100234', 'release @paid.txt'],
  run: (call) =>
    send(call, 'release', {
      body: {},
      describe: (number, { order_state_id }) => `Order ${number} is not on hold; its state is ${order_state_id}.`,
    }),
})

async function send(
  { arguments: [given = ''], output, service }: Context,
  action: 'hold' | 'release',
  {
    body,
    describe,
  }: { body: { json?: { reason: string } }; describe: (number: number, order: OperatorOrder) => string },
): Promise<ExitCode | void> {
  return forEachOrder(await readNumbers(given), {
    output,
    send: async (number) => {
      const { order_id } = await findOrder(service, number)
      return service.call<OperatorOrder>('POST', `/operator/v1/orders/${order_id}/${action}/`, body)
    },
    describe,
  })
}
