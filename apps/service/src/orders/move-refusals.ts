import type { MoreDetails } from '../functions/call.ts'
import { movesFrom, orderStateOf } from '../vocabulary/order-states.ts'

/** What functions do not know when they refuse a move: where the order can go from its state. */
export const possibleMoves: MoreDetails = {
  order_move_refused: ({ order_state_id }: { order_state_id: string }) => ({
    possible: movesFrom(orderStateOf(order_state_id)),
  }),
}

/** Who changes the order and their remark: stored in the order's history and in the event log. */
export interface Remark {
  readonly text: string
  readonly actor: string
  readonly request_id: string
}
