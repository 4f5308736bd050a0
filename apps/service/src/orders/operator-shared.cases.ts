/** What the cases of several rooms share. */
import { type OperatorWorld } from '../testing/operators.ts'
import { anyId, anyText } from '../testing/mask-volatile.ts'
import { fullOrderView, historyCreated, historyEntry, order } from '../testing/orders.ts'
import { type World } from '../testing/world.ts'

/** Entries of the history as operators see them. */
const byClient = (entry: ReturnType<typeof historyEntry>) => ({ ...entry, actor: anyText, operator_id: null })
export const entryCreated = byClient(historyCreated)
export const entryByOperator = (...entry: Parameters<typeof historyEntry>) => ({
  ...historyEntry(...entry),
  actor: anyText,
  operator_id: anyId,
})

export const clientOf = ({ me }: World): { client_id: number; client_name: string } => ({
  client_id: me.client_id,
  client_name: 'Garage Weber',
})

export async function operatorView(world: World, order_id: number, goods?: { shipped: number; open: number }) {
  return {
    ...clientOf(world),
    order_contact: { contact_id: world.me.contact_id, contact_name: 'Anna Weber', contact_email: null },
    hold_reason: null as string | null,
    ...(await fullOrderView(world, order_id, goods)),
    order_history: [entryCreated] as object[],
    returns: [],
    return_requests: [] as object[],
    documents: [] as object[],
    client_metadata: {},
    metadata: {},
    notes: [],
  }
}

/** An order of three brake discs that can be shipped. */
export async function fulfilled(world: OperatorWorld): Promise<{ order_id: number; order_item_id: number }> {
  const placed = await order(world)
  await moveTo(world, placed.order_id, 'processing', 'fulfilling')
  return placed
}

export const historyMoved = [
  entryByOperator('Change of status', 'Being assembled', 'fulfilling'),
  entryByOperator('Change of status', 'Processing', 'processing'),
  entryCreated,
]

/** In a cancelled order nothing is open. */
export const released = { shipped: 0, open: 0 }

export const requested = byClient(historyEntry('Change of status', 'Cancellation requested', 'zayavka-na-otmen'))

export async function moveTo({ operators }: OperatorWorld, order_id: number, ...states: string[]): Promise<void> {
  for (const state_id of states) await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
}

/** An order of a given item, contract and quantity. */
export async function orderOf(
  { shop }: World,
  line: { item_id: number; quantity: number; contract_id?: number },
): Promise<number> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, line)
  return shop.order(cart_id)
}

export const overdue = { reason: 'Payment is overdue.' }

/** Five spark plugs are free, whatever other cases have ordered. */
export const leaveFive = ({ service }: OperatorWorld): Promise<unknown> =>
  service.sql('update stock_levels set on_hand = reserved + 5, shortage = 0 where stock_id = 1 and item_id = 3')
