import { command } from '../command.ts'
import { forEachOrder, numbersNote, readNumbers } from '../many-orders.ts'

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
