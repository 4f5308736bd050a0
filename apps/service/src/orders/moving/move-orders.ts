import { randomUUID } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { moveOrder, type MoveRequest } from './move-order.ts'
import type { StateLabels } from '../order.ts'
import { findOrderIds } from '../finding/named-order.ts'
import { orderStateWords } from '../../vocabulary/order-states.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int4, int8, uuid } from 'pg-statements/types.ts'
import { databaseRefusal, errorCodeWords, Refusal, refusalError, type RefusalError } from '../../vocabulary/refusals.ts'
import { word, wordOrNull } from '../../vocabulary/schema-parts.ts'

export const ordersMovedMax = 1_000 // A few seconds of work: as many as a dispatcher moves in one go.
const concurrency = 8 // Enough to keep the connections busy; more would only delay other requests.

export const MoveResult = Type.Object(
  {
    order_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The order; null if no order has the number.',
    }),
    order_number: Type.Optional(Type.Integer({ description: 'The number of the order, if it was named by it.' })),
    moved: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether the order was moved, or was in that state already; null if the database connection was lost and the outcome is unknown: read the order.',
    }),
    order_state_id: wordOrNull(
      orderStateWords,
      'The new state; null if the order was not moved or the outcome is unknown.',
    ),
    errors: Type.Array(
      Type.Object({
        code: word(errorCodeWords, 'Why.'),
        message: Type.String({ description: 'A sentence that names the value and the rule.' }),
        details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The values, by name.' })),
      }),
      { description: 'Why the order was not moved, or why the outcome is unknown; empty if it was moved.' },
    ),
  },
  {
    $id: 'MoveResult',
    examples: [{ order_id: 5012, moved: true, order_state_id: 'processing', errors: [] }],
  },
)
export type MoveResult = Static<typeof MoveResult>

/** The history entry of this move of the order, if its statement has been executed. */
const findMoveSql = shortStatement('find-move', {
  sql: `select h.entry
    from orders o
    join order_history h on h.client_id = o.client_id and h.order_id = o.order_id
    where o.order_id = :order_id and h.move_id = :move_id`,
  parameters: { order_id: int8, move_id: uuid },
  columns: { entry: int4 },
})

interface ManyOrders {
  readonly order_ids: readonly number[]
  readonly order_numbers: readonly number[]
}

/** Moves each order separately: one that cannot be moved does not affect the others. Stops when the database is unavailable. */
export async function moveOrders(
  db: Database,
  { order_ids, order_numbers, ...request }: ManyOrders & Omit<MoveRequest, 'order_id'>,
  labels: StateLabels,
): Promise<MoveResult[]> {
  const idOf = order_numbers.length === 0 ? new Map<number, number>() : await findOrderIds(db, order_numbers)
  const results = new Map<number, MoveResult>()
  const remaining = new Set([...order_ids, ...idOf.values()]).values()
  let unavailable = false
  const work = async (): Promise<void> => {
    for (const order_id of remaining) {
      const result = unavailable
        ? refused(order_id, [refusalError('database_unavailable', {})])
        : await moveOne(db, { order_id, ...request }, labels)
      results.set(order_id, result)
      unavailable ||= isLost(result)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return [
    ...order_ids.flatMap((order_id) => results.get(order_id) ?? []),
    ...order_numbers.map((order_number) => {
      const result = results.get(idOf.get(order_number) ?? 0)
      return { ...(result ?? refused(null, [refusalError('order_not_found', { order_number })])), order_number }
    }),
  ]
}

/** After a lost connection the order may or may not have been moved. A second attempt finds out. */
async function moveOne(db: Database, request: MoveRequest, labels: StateLabels): Promise<MoveResult> {
  const move_id = randomUUID() // A client may send the same X-Request-Id with several requests.
  const first = await resultOf(request.order_id, () => moveOrder(db, request, labels, move_id))
  if (!isLost(first)) return first
  const second = await resultOf(request.order_id, () => moveAgain(db, request, labels, move_id))
  return isLost(second) || second.errors[0]?.code === 'busy' ? { ...second, moved: null } : second
}

/**
 * If the first attempt is still in flight, the row lock makes this one wait for it. If it has succeeded, this one is refused
 * because of the new state, and the order's history has an entry with this move's id. So nothing happens twice.
 */
async function moveAgain(
  db: Database,
  request: MoveRequest,
  labels: StateLabels,
  move_id: string,
): Promise<{ order_state_id: string }> {
  try {
    return await moveOrder(db, request, labels, move_id)
  } catch (error) {
    const { order_id, state_id } = request
    const inAnotherState = error instanceof Refusal && error.errors[0]?.code === 'order_move_refused'
    if (!inAnotherState || (await db.row(findMoveSql, { order_id, move_id })) === undefined) throw error
    return { order_state_id: state_id }
  }
}

async function resultOf(order_id: number, move: () => Promise<{ order_state_id: string }>): Promise<MoveResult> {
  try {
    const { order_state_id } = await move()
    return { order_id, moved: true, order_state_id, errors: [] }
  } catch (error) {
    const refusal = error instanceof DatabaseTrouble ? databaseRefusal(error) : error
    if (!(refusal instanceof Refusal)) throw error
    return refused(order_id, refusal.errors)
  }
}

const isLost = ({ errors }: MoveResult): boolean => errors.some(({ code }) => code === 'database_unavailable')

const refused = (order_id: number | null, errors: readonly RefusalError[]): MoveResult => ({
  order_id,
  moved: false,
  order_state_id: null,
  errors: errors.map(({ code, message, details }) => ({ code, message, ...(details && { details }) })),
})
