/** What a client may do with its order now, and until when. */
import Type, { type Static } from 'typebox'
import type { storedOrderFields } from './order-fields.ts'
import {
  adjustable,
  cancellable,
  endOf,
  orderStateWords,
  reschedulable,
  type OrderState,
} from '../vocabulary/order-states.ts'
import { textOrNull, wordOrNull } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { date, int4, nullable } from 'pg-statements/types.ts'

export const historyMax = 200 // Reading an order returns its whole history, so rescheduling must not grow it without limit.

const action = {
  allowed: Type.Boolean({ description: 'Whether the request would be accepted now.' }),
  until_state_id: wordOrNull(
    orderStateWords,
    'The state that ends it: it is possible until the distributor moves the order there. Null if it is not allowed.',
  ),
}

const day = (description: string): Type.TUnsafe<string | null> =>
  textOrNull(`${description} \`YYYY-MM-DD\`; null if it is not allowed.`)

export const exampleActions = {
  cancel: { allowed: true, until_state_id: 'shipped' },
  reschedule: {
    allowed: true,
    until_state_id: 'fulfilling',
    earliest_date: '2026-11-17',
    latest_date: '2036-11-12',
  },
  adjust: { allowed: true, until_state_id: 'fulfilling' },
}

export const OrderActions = Type.Object(
  {
    cancel: Type.Object(action, {
      description: 'Request cancellation. Not possible once a part of the order has been shipped.',
    }),
    reschedule: Type.Object(
      {
        ...action,
        earliest_date: day('The first day on which its stock can ship it.'),
        latest_date: day('The last day that is accepted.'),
      },
      { description: 'Change the shipping date.' },
    ),
    adjust: Type.Object(action, { description: 'Request another quantity of a line.' }),
  },
  {
    $id: 'OrderActions',
    description: 'What the client may do with the order now.',
    examples: [exampleActions],
  },
)
export type OrderActions = Static<typeof OrderActions>

export const actionColumns = { history_count: int4, earliest_date: nullable(date), latest_date: date }
export type ActionRow = Values<typeof actionColumns & Pick<typeof storedOrderFields, 'order_shipped_datetime'>>

export function actionsOf(state: OrderState, row: ActionRow): OrderActions {
  const { earliest_date, latest_date, history_count, order_shipped_datetime } = row
  const shippable = earliest_date !== null && earliest_date <= latest_date && history_count < historyMax
  const reschedule = actionIn(shippable ? reschedulable : [], state)
  return {
    cancel: actionIn(order_shipped_datetime === null ? cancellable : [], state),
    reschedule: {
      ...reschedule,
      earliest_date: reschedule.allowed ? earliest_date : null,
      latest_date: reschedule.allowed ? latest_date : null,
    },
    adjust: actionIn(adjustable, state),
  }
}

function actionIn(states: readonly OrderState[], state: OrderState): OrderActions['cancel'] {
  const allowed = states.includes(state)
  return { allowed, until_state_id: allowed ? endOf(states) : null }
}
