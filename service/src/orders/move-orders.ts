import Type, { type Static } from 'typebox'
import { moveOrder, type Remark } from './move-order.ts'
import type { StateLabels } from './order.ts'
import type { OrderState } from './order-states.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal, refusalError, type RefusalError } from '../refusals.ts'

export const ordersMovedMax = 1_000 // Some seconds of work: what a dispatcher moves at once.
const atOnce = 8 // As many as keep the connections busy; more would only push aside what others ask for.

export const MoveResult = Type.Object(
  {
    order_id: Type.Integer({ description: 'The order.' }),
    moved: Type.Union([Type.Boolean(), Type.Null()], {
      description:
        'Whether it was moved; null where the connection to the database was lost and that could not be found out: read the order.',
    }),
    order_state_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Its new state; null where none is known.',
    }),
    errors: Type.Array(
      Type.Object({
        code: Type.String({ description: 'As in the list of error codes.' }),
        message: Type.String({ description: 'A sentence that names the value and the rule.' }),
        details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The figures, by name.' })),
      }),
      { description: 'Why it was not moved, or why that is not known; empty where it was.' },
    ),
  },
  {
    $id: 'MoveResult',
    additionalProperties: false,
    examples: [{ order_id: 5012, moved: true, order_state_id: 'processing', errors: [] }],
  },
)
export type MoveResult = Static<typeof MoveResult>

const findMoveSql = statement(new URL('find-move.sql', import.meta.url), {
  parameters: { order_id: int8, request_id: text, events_max: int8 },
  columns: { event_number: int8 },
})

const eventsMax = 5_000 // More than a client has in the seconds since the first try.

type MoveRequest = { state_id: OrderState } & Remark

/** Moves each order by itself: one that cannot be moved does not hold up the others. Once the database is away, no more are tried. */
export async function moveOrders(
  db: Database,
  { order_ids, ...wish }: { order_ids: readonly number[] } & MoveRequest,
  labels: StateLabels,
): Promise<MoveResult[]> {
  const results = new Map<number, MoveResult>()
  const waiting = order_ids.values()
  let away = false
  const work = async (): Promise<void> => {
    for (const order_id of waiting) {
      const result = away
        ? refused(order_id, [refusalError('database_unavailable', {})])
        : await moveOne(db, { order_id, ...wish }, labels)
      results.set(order_id, result)
      away ||= isLost(result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return order_ids.flatMap((order_id) => results.get(order_id) ?? [])
}

/** When the connection is lost, the order may have been moved or not: so it is moved once more, which tells. */
async function moveOne(
  db: Database,
  wish: { order_id: number } & MoveRequest,
  labels: StateLabels,
): Promise<MoveResult> {
  const first = await resultOf(wish.order_id, () => moveOrder(db, wish, labels))
  if (!isLost(first)) return first
  const second = await resultOf(wish.order_id, () => moveAgain(db, wish, labels))
  return isLost(second) || second.errors[0]?.code === 'busy' ? { ...second, moved: null } : second
}

/**
 * What is still under way is waited for by the order's lock; what has happened already is refused for the state that it led to,
 * and has left this request's event. So nothing happens twice.
 */
async function moveAgain(
  db: Database,
  wish: { order_id: number } & MoveRequest,
  labels: StateLabels,
): Promise<{ order_state_id: string }> {
  try {
    return await moveOrder(db, wish, labels)
  } catch (error) {
    const { order_id, request_id, state_id } = wish
    const inAnotherState = error instanceof Refusal && error.errors[0]?.code === 'order_move_refused'
    if (!inAnotherState || (await db.row(findMoveSql, { order_id, request_id, events_max: eventsMax })) === undefined)
      throw error
    return { order_state_id: state_id }
  }
}

async function resultOf(order_id: number, move: () => Promise<{ order_state_id: string }>): Promise<MoveResult> {
  try {
    const { order_state_id } = await move()
    return { order_id, moved: true, order_state_id, errors: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refused(order_id, error.errors)
  }
}

const isLost = ({ errors }: MoveResult): boolean => errors.some(({ code }) => code === 'database_unavailable')

const refused = (order_id: number, errors: readonly RefusalError[]): MoveResult => ({
  order_id,
  moved: false,
  order_state_id: null,
  errors: errors.map(({ code, message, details }) => ({ code, message, ...(details && { details }) })),
})
