import { traceOf, traceParameters, type Keeper } from './keeper.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'

const deleteCartSql = statement(new URL('delete-cart.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, ...traceParameters },
  columns: { removed_cart_id: int8 },
})

export async function deleteCart(db: Database, keeper: Keeper, cart_id: number): Promise<{ removed_cart_id: number }> {
  const deleted = await db.row(deleteCartSql, { client_id: keeper.client_id, cart_id, ...traceOf(keeper) })
  if (deleted === undefined) throw new Refusal('cart_not_found', { cart_id })
  return deleted
}
