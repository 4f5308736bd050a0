/** The states of an order, what a client may do in each, and the possible moves between them. */
import assert from 'node:assert/strict'
import type { WordList } from './schema-parts.ts'

/** `zayavka-na-otmen` is Russian for a request for cancellation; the contract fixes the name. */
export type OrderState = 'new' | 'processing' | 'fulfilling' | 'shipped' | 'completed' | 'zayavka-na-otmen' | 'canceled'

interface StateRule {
  readonly state_id: OrderState
  /** The default label, in English; the setting STATE_LABELS overrides it. */
  readonly value: string
  readonly cancellable: boolean
  readonly reschedulable: boolean
  readonly adjustable: boolean
}

const rule = (state_id: OrderState, value: string, ...may: ('cancel' | 'reschedule' | 'adjust')[]): StateRule => ({
  state_id,
  value,
  cancellable: may.includes('cancel'),
  reschedulable: may.includes('reschedule'),
  adjustable: may.includes('adjust'),
})

export const orderStates: readonly StateRule[] = [
  rule('new', 'New', 'cancel', 'reschedule', 'adjust'),
  rule('processing', 'Processing', 'cancel', 'reschedule', 'adjust'),
  rule('fulfilling', 'Being assembled', 'cancel'),
  rule('shipped', 'Shipped'),
  rule('completed', 'Completed'),
  rule('zayavka-na-otmen', 'Cancellation requested'),
  rule('canceled', 'Cancelled'),
]

/** The labels that differ from the default ones. */
export const ownLabels = (labels: Readonly<Record<OrderState, string>>): Record<string, string> =>
  Object.fromEntries(
    orderStates
      .filter(({ state_id, value }) => labels[state_id] !== value)
      .map(({ state_id }) => [state_id, labels[state_id]]),
  )

export const stateIds: readonly OrderState[] = orderStates.map(({ state_id }) => state_id)

export const orderStateWords: WordList = {
  name: 'OrderState',
  meaning: 'A state of an order. `GET /api/v1/order-states/` lists them with their labels.',
  words: stateIds,
}

/** A state as PostgreSQL returns it. */
export function orderStateOf(state_id: string): OrderState {
  const state = orderStates.find((one) => one.state_id === state_id)
  assert(state, `There is no order state ${state_id}.`)
  return state.state_id
}

/**
 * The states to which an operator may move an order, by its present state: forward, to `canceled`, or one step back while
 * nothing is shipped. Only a decision ends a cancellation request: if accepted, the order is cancelled; if rejected, it
 * returns to the previous state.
 */
const moves = {
  new: ['processing', 'canceled'],
  processing: ['fulfilling', 'canceled', 'new'],
  fulfilling: ['shipped', 'canceled', 'processing'],
  shipped: ['completed'],
  completed: [],
  'zayavka-na-otmen': [],
  canceled: [],
} as const satisfies Record<OrderState, readonly OrderState[]>

export const movesFrom = (state: OrderState): readonly OrderState[] => moves[state]

export const movableFrom = (to: OrderState): OrderState[] => stateIds.filter((from) => movesFrom(from).includes(to))

export const moveTargets: readonly OrderState[] = stateIds.filter((to) => movableFrom(to).length > 0)

const statesThat = (may: (state: StateRule) => boolean): OrderState[] =>
  orderStates.filter(may).map(({ state_id }) => state_id)

export const cancellable = statesThat((state) => state.cancellable)
export const reschedulable = statesThat((state) => state.reschedulable)
export const adjustable = statesThat((state) => state.adjustable)

/** The state that ends what is possible in these ones, on the way of an order from `new` to `completed`. */
export const endOf = (states: readonly OrderState[]): OrderState | null =>
  stateIds.find((state) => !states.includes(state)) ?? null

/** Where the goods of an order are: still to be shipped, shipped, or released by its cancellation. */
const goods = {
  new: 'open',
  processing: 'open',
  fulfilling: 'open',
  shipped: 'shipped',
  completed: 'shipped',
  'zayavka-na-otmen': 'open',
  canceled: 'released',
} as const satisfies Record<OrderState, 'open' | 'shipped' | 'released'>

export const goodsIn = (state: OrderState): (typeof goods)[OrderState] => goods[state]

/** A virtual order can get its goods until it is shipped. An open cancellation request must be decided first. */
export const reservable = movableFrom('canceled')

/** An operator may reduce or remove lines until the order is shipped. Raising and adding follow the client's adjustments. */
export const reducible = movableFrom('canceled')

/** An order can be held as long as its goods are not shipped. */
export const holdable = stateIds.filter((state) => goodsIn(state) === 'open')

export const cancellationRequested: OrderState = 'zayavka-na-otmen'
