/** Every command, in the order in which the help shows them. */
import type { Command } from './command.ts'
import { check } from './commands/check.ts'
import { migrate } from './commands/database.ts'
import { accept, reject } from './commands/decide.ts'
import { importFile } from './commands/import.ts'
import { inbox } from './commands/inbox.ts'
import { keyCommands } from './commands/keys.ts'
import { operatorKeyCommands } from './commands/operator-keys.ts'
import { move, order, orders } from './commands/orders.ts'

export const commands: readonly Command[] = [
  inbox,
  accept,
  reject,
  orders,
  order,
  move,
  importFile,
  ...keyCommands,
  ...operatorKeyCommands,
  check,
  migrate,
]
