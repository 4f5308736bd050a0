import type { Actor } from '../access/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const stateOfOrderSql = statement(new URL('state-of-order.sql', import.meta.url), {
  parameters: { client_id: int8, order_id: int8 },
  columns: { order_state_id: text, partly_shipped: bool },
})

/** The state of an order, for explaining a refusal. */
export async function stateOfOrder(
  db: Database,
  { client_id }: Actor,
  order_id: number,
): Promise<{ order_state_id: string; partly_shipped: boolean }> {
  const order = await db.row(stateOfOrderSql, { client_id, order_id })
  if (order === undefined) throw new Refusal('order_not_found', { order_id })
  return order
}
