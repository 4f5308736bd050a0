/** The states of an order, what a client may do in each, and which moves there are: the one table of them. */

export type OrderState = 'new' | 'processing' | 'fulfilling' | 'shipped' | 'completed' | 'zayavka-na-otmen' | 'canceled'

interface StateRule {
  readonly state_id: OrderState
  /** The English label; STATE_LABELS can replace it. */
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

/**
 * Where an operator may move an order from each state. Nothing moves out of a cancellation request but by its decision:
 * accepted, the order is cancelled; rejected, it returns to the state before.
 */
const moves = {
  new: ['processing', 'canceled'],
  processing: ['fulfilling', 'canceled'],
  fulfilling: ['shipped', 'canceled'],
  shipped: ['completed'],
  completed: [],
  'zayavka-na-otmen': [],
  canceled: [],
} as const satisfies Record<OrderState, readonly OrderState[]>

export const movesFrom = (state: OrderState): readonly OrderState[] => moves[state]

export const movableFrom = (to: OrderState): OrderState[] =>
  orderStates.map(({ state_id }) => state_id).filter((from) => movesFrom(from).includes(to))

/** The states to which an operator can move an order at all. */
export const moveTargets: readonly OrderState[] = ['processing', 'fulfilling', 'shipped', 'completed', 'canceled']

const statesThat = (may: (state: StateRule) => boolean): OrderState[] =>
  orderStates.filter(may).map(({ state_id }) => state_id)

export const cancellable = statesThat((state) => state.cancellable)
export const reschedulable = statesThat((state) => state.reschedulable)
export const adjustable = statesThat((state) => state.adjustable)

/** An order that is virtual can be given its goods while they are still to be shipped. A request to cancel it is decided first. */
export const reservable = movableFrom('canceled')

export const cancellationRequested: OrderState = 'zayavka-na-otmen'
