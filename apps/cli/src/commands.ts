/** Every command, in the order in which the help shows them. */
import type { Command } from './command.ts'
import { documentCommand, returnCommand } from './commands/after-shipping.ts'
import { auditCommand, auditExportCommand } from './commands/audit.ts'
import { blockCommand, unblockCommand } from './commands/block.ts'
import { checkCommand } from './commands/check.ts'
import { clientCommands, eraseContactCommand } from './commands/clients.ts'
import { lineCommand, noteCommand, rescheduleCommand, undoCommand } from './commands/correct.ts'
import { countCommand } from './commands/count.ts'
import { afterRestoreCommand, migrateDatabaseCommand } from './commands/database.ts'
import { acceptCommand, rejectCommand } from './commands/decide.ts'
import { feedEndpointCommands } from './commands/feed-endpoints.ts'
import { clientsCommand, countsCommand, itemsCommand, logCommand, pricesCommand } from './commands/find.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { importsCommands } from './commands/imports.ts'
import { inboxCommand } from './commands/inbox.ts'
import { keyCommands } from './commands/keys.ts'
import { operatorKeyCommands } from './commands/operator-keys.ts'
import { metadataCommand } from './commands/metadata.ts'
import { operatorCommands } from './commands/operators.ts'
import { holdCommand, moveCommand, releaseCommand } from './commands/move.ts'
import { orderForCommand } from './commands/order-for.ts'
import { orderCommand, ordersCommand } from './commands/orders.ts'
import { pickListCommand, slipCommand } from './commands/print.ts'
import { closeOpenCommand, shipCommand } from './commands/ship.ts'
import { stockCommands } from './commands/stock.ts'
import { substitutesCommand } from './commands/substitutes.ts'

export const commands: readonly Command[] = [
  countsCommand,
  inboxCommand,
  acceptCommand,
  rejectCommand,
  ordersCommand,
  orderCommand,
  orderForCommand,
  moveCommand,
  pickListCommand,
  shipCommand,
  slipCommand,
  closeOpenCommand,
  returnCommand,
  documentCommand,
  undoCommand,
  lineCommand,
  rescheduleCommand,
  noteCommand,
  holdCommand,
  releaseCommand,
  metadataCommand,
  itemsCommand,
  pricesCommand,
  substitutesCommand,
  countCommand,
  ...stockCommands,
  importCommand,
  ...importsCommands,
  exportCommand,
  clientsCommand,
  ...clientCommands,
  blockCommand,
  unblockCommand,
  eraseContactCommand,
  ...keyCommands,
  ...operatorKeyCommands,
  ...operatorCommands,
  ...feedEndpointCommands,
  logCommand,
  auditExportCommand, // Before the shorter name.
  auditCommand,
  checkCommand,
  migrateDatabaseCommand,
  afterRestoreCommand,
]
