/** The states of an order and the moves that an operator may make; the service decides. */
export const stateIds = [
  'new',
  'processing',
  'fulfilling',
  'shipped',
  'completed',
  'zayavka-na-otmen',
  'canceled',
] as const
export type StateId = (typeof stateIds)[number]
export type MoveTarget = Exclude<StateId, 'zayavka-na-otmen'>

export const moveTargets: readonly MoveTarget[] = [
  'processing',
  'fulfilling',
  'shipped',
  'completed',
  'new',
  'canceled',
]

export const movesFrom: Readonly<Record<StateId, readonly MoveTarget[]>> = {
  new: ['processing', 'canceled'],
  processing: ['fulfilling', 'new', 'canceled'],
  fulfilling: ['shipped', 'processing', 'canceled'],
  shipped: ['completed'],
  completed: [],
  'zayavka-na-otmen': [],
  canceled: [],
}
