import { numericOverflow, totalMax } from '../clients/amounts.ts'
import { lineChangeColumns, lineChangeOf, type LineChange } from './line-change.ts'
import { listOperatorOrderItems } from './list-order-items.ts'
import { adjustable, reducible } from './order-states.ts'
import { neededColumns, refuseNeeds, refuseState } from './refuse-line.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { int4, int8, nullable, numeric, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const changeLineSql = statement(new URL('change-line.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    order_item_id: int8,
    quantity: int4,
    reason: text,
    raisable: textArray,
    reducible: textArray,
    actor: text,
    request_id: text,
  },
  columns: lineChangeColumns,
  refusedBy: ['out_of_stock', 'contract_limit_exceeded', numericOverflow],
})

const explainLineSql = statement(new URL('explain-line.sql', import.meta.url), {
  parameters: { order_id: int8, order_item_id: int8, quantity: int4, total_max: numeric },
  columns: {
    ...lineChangeColumns,
    ...neededColumns,
    shipped_quantity: int4,
    total_difference: numeric,
    hold_reason: nullable(text),
  },
})

interface LineRequest {
  readonly order_id: number
  readonly order_item_id: number
  readonly quantity: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
}

/**
 * Reduces, removes or raises a line; the client reads the reason in the history. Raising needs stock and limit, as an
 * accepted adjustment does. An order without lines is cancelled, and one of which nothing is left to ship is shipped;
 * neither happens to an order on hold.
 */
export async function changeLine(db: Database, request: LineRequest): Promise<LineChange> {
  const changed = await settle(
    db,
    { statement: changeLineSql, contended: `order ${request.order_id}` },
    () => db.row(changeLineSql, { ...request, raisable: adjustable, reducible }),
    async () => void (await explain(db, request)),
  )
  return lineChangeOf(changed, false)
}

/** The effect that the change would have now. */
export const previewLine = async (db: Database, request: LineRequest): Promise<LineChange> =>
  lineChangeOf(await explain(db, request), true)

/** Throws if the line cannot be changed like this. */
async function explain(
  db: Database,
  { order_id, order_item_id, quantity }: LineRequest,
): Promise<Values<typeof explainLineSql.columns>> {
  const found = await db.row(explainLineSql, { order_id, order_item_id, quantity, total_max: totalMax })
  if (found === undefined) {
    await listOperatorOrderItems(db, order_id) // Refuses an unknown order.
    throw new Refusal('order_item_not_found', { order_id, order_item_id })
  }
  if (found.quantity_before === quantity) throw new Refusal('quantity_unchanged', { order_item_id, quantity })
  refuseState(found, quantity > found.quantity_before ? adjustable : reducible)
  const { shipped_quantity: shipped, hold_reason } = found
  if (quantity < shipped) throw new Refusal('quantity_below_shipped', { order_item_id, quantity, shipped })
  if (hold_reason !== null && found.state_after !== found.state_before)
    throw new Refusal('order_held', { order_id, hold_reason })
  refuseNeeds(found, found.item_id)
  return found
}
