import Type, { type Static } from 'typebox'
import { moveOrder, type Remark } from './move-order.ts'
import type { StateLabels } from './order.ts'
import type { OrderState } from './order-states.ts'
import type { Database } from '../postgres/database.ts'
import { Refusal } from '../refusals.ts'

export const ordersMovedMax = 1_000 // Some seconds of work: what a dispatcher moves at once.
const atOnce = 8 // As many as keep the connections busy; more would only push aside what others ask for.

export const MoveResult = Type.Object(
  {
    order_id: Type.Integer({ description: 'The order.' }),
    moved: Type.Boolean({ description: 'Whether it was moved.' }),
    order_state_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Its new state; null where it was refused.',
    }),
    errors: Type.Array(
      Type.Object({
        code: Type.String({ description: 'As in the list of error codes.' }),
        message: Type.String({ description: 'A sentence that names the value and the rule.' }),
        details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The figures, by name.' })),
      }),
      { description: 'Why it was not moved; empty where it was.' },
    ),
  },
  {
    $id: 'MoveResult',
    additionalProperties: false,
    examples: [{ order_id: 5012, moved: true, order_state_id: 'processing', errors: [] }],
  },
)
export type MoveResult = Static<typeof MoveResult>

/** Moves each order by itself: one that cannot be moved does not hold up the others. */
export async function moveOrders(
  db: Database,
  { order_ids, ...wish }: { order_ids: readonly number[]; state_id: OrderState } & Remark,
  labels: StateLabels,
): Promise<MoveResult[]> {
  const results = new Map<number, MoveResult>()
  const waiting = order_ids.values()
  const work = async (): Promise<void> => {
    for (const order_id of waiting) results.set(order_id, await moveOne(db, { order_id, ...wish }, labels))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return order_ids.flatMap((order_id) => results.get(order_id) ?? [])
}

async function moveOne(...wish: Parameters<typeof moveOrder>): Promise<MoveResult> {
  const [, { order_id }] = wish
  try {
    const { order_state_id } = await moveOrder(...wish)
    return { order_id, moved: true, order_state_id, errors: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const errors = error.errors.map(({ code, message, details }) => ({ code, message, ...(details && { details }) }))
    return { order_id, moved: false, order_state_id: null, errors }
  }
}
