import { refuseCartItem, type CartItemPath } from './read-cart-item.ts'
import { traceOf, traceParameters, type Keeper } from '../keeper.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const removeCartItemSql = statement(new URL('remove-cart-item.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8, ...traceParameters },
  columns: { removed_cart_item_id: int8 },
})

export async function removeCartItem(
  db: Database,
  keeper: Keeper,
  path: CartItemPath,
): Promise<{ removed_cart_item_id: number }> {
  const removed = await db.row(removeCartItemSql, { client_id: keeper.client_id, ...path, ...traceOf(keeper) })
  return removed ?? refuseCartItem(db, keeper, path)
}
