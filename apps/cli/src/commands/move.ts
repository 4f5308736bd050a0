import type { MoveResult } from '@parts-ordering/client/operator'
import { command } from '../command.ts'
import { endOf, forEachOrder, numbersNote, readNumbers } from '../many-orders.ts'
import { moveTarget } from '../order-states.ts'
import type { Output } from '../output.ts'
import type { ExitCode } from '../problem.ts'

const ordersMovedMax = 1_000 // The limit of one request to the service.

export const moveCommand = command({
  name: 'move',
  summary: 'move orders one step forward or back, or cancel them',
  arguments: ['NUMBERS', 'STATE'],
  options: { text: { value: 'TEXT', meaning: 'a remark that the client can read; required for canceled' } },
  notes: [
    'An order moves one step forward: new, processing, fulfilling, shipped, completed. From the first three it can also be canceled. While nothing is shipped it also moves back, from fulfilling to processing and from there back to new. Shipping takes the items out of stock, completing reduces the exposure of the contract, and cancelling releases both.',
    numbersNote,
  ],
  examples: [
    'move 100234 processing',
    'move 100234,100235 fulfilling',
    'move @picked.txt shipped',
    'move 100234 canceled --text "Sold out."',
  ],
  run: async (call): Promise<ExitCode | void> => {
    const {
      arguments: [given, state = ''],
      options: { text },
      output,
      api,
    } = call
    const state_id = moveTarget({ name: 'move' }, state)
    const numbers = await readNumbers(given)
    if (numbers.length === 1)
      return forEachOrder(call, numbers, {
        send: ({ order_id }) => api().moveOrder({ order_id, state_id, text }),
        describe: (number, { order_state_id }) => `Moved order ${number} to ${order_state_id}.`,
      })
    let refused = 0
    for (let at = 0; at < numbers.length; at += ordersMovedMax) {
      const order_numbers = numbers.slice(at, at + ordersMovedMax)
      const results = await api().moveOrders({ order_numbers, state_id, text })
      for (const result of results) show(output, result)
      refused += results.filter(({ moved }) => moved !== true).length
    }
    return endOf(output, { all: numbers.length, refused })
  },
})

function show(output: Output, result: MoveResult): void {
  const { order_number, moved, order_state_id, errors } = result
  if (output.json) return output.data(result)
  if (moved === true) return output.line(`Moved order ${order_number} to ${order_state_id}.`)
  output.note(`parts: Order number ${order_number}: ${errors.map(({ message }) => message).join(' ')}`, 'red')
}

export const holdCommand = command({
  name: 'hold',
  summary: 'put orders on hold, with a reason',
  arguments: ['NUMBERS'],
  options: { reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: ['Nobody moves the order until it is released. Its goods stay reserved.', numbersNote],
  examples: ['hold 100234 --reason "Payment is overdue."', 'hold 100234,100235 --reason "Address unclear."'],
  run: async (call) =>
    forEachOrder(call, await readNumbers(call.arguments[0]), {
      send: ({ order_id }) => call.api().holdOrder({ order_id, reason: call.options.reason }),
      describe: (number, { hold_reason }) => `Order ${number} is on hold: ${hold_reason}`,
    }),
})

export const releaseCommand = command({
  name: 'release',
  summary: 'release orders that are on hold',
  arguments: ['NUMBERS'],
  notes: [numbersNote],
  examples: ['release 100234', 'release @paid.txt'],
  run: async (call) =>
    forEachOrder(call, await readNumbers(call.arguments[0]), {
      send: ({ order_id }) => call.api().releaseOrder({ order_id }),
      describe: (number, { order_state_id }) => `Order ${number} is not on hold; its state is ${order_state_id}.`,
    }),
})
