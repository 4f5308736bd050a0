/** The random steps of the model campaign. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ModelAccount } from './model-state.ts'

const pick = fc.noBias(fc.nat({ max: 1_000 }))
// The first client sends most requests, so that its carts become orders.
const base = { who: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 2, 3), a: pick, b: pick, c: pick }
const kinds = [
  'createCart', 'listCarts', 'renameCart', 'deleteCart', 'listItems', 'listItems', 'addItem', 'addItem', 'addItem', 'addRows', 'orderAgain', 'changeQuantity',
  'readItem', 'removeItem', 'placeOrder', 'placeOrder', 'placeOrder', 'readOrder', 'listOrders', 'orderItems', 'reschedule', 'cancel',
  'adjust', 'adjust', 'withdraw', 'accept', 'accept', 'accept', 'reject', 'reject', 'listAdjustments', 'readEvents', 'price', 'price', 'rules', 'rules', 'terms', 'terms', 'onSale', 'foreign',
] as const // prettier-ignore
const operatorKinds = [
  'advance', 'advance', 'advance', 'advance', 'advance', 'advance', 'move', 'move', 'move', 'ship', 'ship', 'ship', 'ship', 'ship', 'closeOpen', 'closeOpen',
  'decideCancellation', 'decideCancellation', 'undoCancellation', 'undoCancellation', 'hold', 'release', 'return', 'return', 'return',
  'requestReturn', 'requestReturn', 'withdrawReturn', 'acceptReturn', 'acceptReturn', 'rejectReturn', 'note', 'markCart',
  'clearVirtual', 'changeDate', 'changeLine', 'changeLine', 'changeLine', 'addLine', 'addLine', 'count', 'count', 'arrive', 'arrive', 'expect', 'expect', 'levels', 'readClient',
  'readFull', 'block', 'unblock', 'unblock', 'limit', 'orderFor', 'orderFor', 'orderFor',
] as const // prettier-ignore
export type OperatorStep = (typeof operatorKinds)[number]
type Kind = (typeof kinds)[number] | OperatorStep
export const isOperatorStep = (kind: Kind): kind is OperatorStep => (operatorKinds as readonly string[]).includes(kind)

export const step = fc.record({ kind: fc.constantFrom(...kinds, ...operatorKinds), ...base })
export type ModelStep = { kind: Kind; who: number; a: number; b: number; c: number }

const onCarts = ['renameCart', 'deleteCart', 'listItems', 'addItem', 'addRows', 'changeQuantity', 'readItem', 'removeItem'] // prettier-ignore
const onOrders = ['readOrder', 'orderAgain', 'orderItems', 'reschedule', 'cancel', 'adjust', 'listAdjustments']
const onAdjustments = ['withdraw', 'accept', 'reject']
const onOpenOrders = ['advance', 'move', 'ship', 'closeOpen', 'hold', 'changeDate', 'changeLine', 'addLine']
const onNothing = ['count', 'arrive', 'expect', 'levels', 'readClient', 'block', 'unblock', 'limit', 'orderFor']

/** What operators do for clients too. */
export const isOnCarts = (kind: Kind): boolean =>
  onCarts.includes(kind) || ['createCart', 'listCarts', 'orderAgain', 'placeOrder'].includes(kind)

/** A step that cannot succeed yet becomes its prerequisite. */
export function prerequisiteOf(
  kind: ModelStep['kind'],
  { carts, orders }: Pick<ModelAccount, 'carts' | 'orders'>,
): ModelStep['kind'] {
  if (
    carts.length === 0 &&
    (onCarts.includes(kind) || kind === 'placeOrder' || (orders.length === 0 && onOrders.includes(kind)))
  )
    return 'createCart'
  if (isOperatorStep(kind)) return operatorPrerequisite(kind, { carts, orders })
  const requested = orders.some(({ adjustments }) => adjustments.length > 0)
  if (onAdjustments.includes(kind) && !requested) return prerequisiteOf('adjust', { carts, orders })
  const filled = carts.some(({ groups }) => groups.length > 0)
  if (onOrders.includes(kind) && orders.length === 0) return filled ? 'placeOrder' : 'addRows'
  return kind === 'placeOrder' && !filled && orders.length < 3 ? 'addRows' : kind
}

/** Orders must exist, and be on their way: an order that cannot be shipped yet is moved. */
function operatorPrerequisite(kind: OperatorStep, account: Pick<ModelAccount, 'carts' | 'orders'>): Kind {
  if (onNothing.includes(kind)) return kind
  if (kind === 'markCart') return account.carts.length === 0 ? 'createCart' : kind
  const states = account.orders.map(({ state }) => state)
  if (states.length === 0) return prerequisiteOf('readOrder', account)
  const early = states.some((state) => state === 'new' || state === 'processing')
  if ((kind === 'ship' || kind === 'closeOpen') && !states.includes('fulfilling') && early) return 'advance'
  const open = early || states.includes('fulfilling')
  if (!open && onOpenOrders.includes(kind))
    return account.carts.some(({ groups }) => groups.length > 0) ? 'placeOrder' : prerequisiteOf('addRows', account)
  const shipped = account.orders.some(({ shipments }) => shipments.length > 0)
  if ((kind === 'return' || kind === 'requestReturn') && !shipped) return operatorPrerequisite('ship', account)
  const requested = account.orders.some(({ returnRequests }) => returnRequests.length > 0)
  if (/^(withdraw|accept|reject)Return$/.test(kind) && !requested) return operatorPrerequisite('requestReturn', account)
  if (kind === 'undoCancellation' && !states.includes('canceled'))
    return operatorPrerequisite('decideCancellation', account)
  return kind === 'decideCancellation' && !states.includes('zayavka-na-otmen') && early ? 'cancel' : kind
}

export function at<T>(of: readonly T[], index: number): T {
  const value = of[index % of.length]
  assert(value !== undefined)
  return value
}

export function some<T>(of: readonly T[], index: number): T | undefined {
  return of.length === 0 ? undefined : of[index % of.length]
}
