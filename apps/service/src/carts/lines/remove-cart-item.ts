import { refuseCartItem, type CartItemPath } from './read-cart-item.ts'
import type { Owner } from '../../identity/actor.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8 } from 'pg-statements/types.ts'

const removeCartItemSql = statement(new URL('remove-cart-item.sql', import.meta.url), {
  parameters: { client_id: int8, cart_id: int8, cart_item_id: int8 },
  columns: { removed_cart_item_id: int8 },
})

export async function removeCartItem(
  db: Database,
  actor: Owner,
  path: CartItemPath,
): Promise<{ removed_cart_item_id: number }> {
  const removed = await db.row(removeCartItemSql, { client_id: actor.client_id, ...path })
  return removed ?? refuseCartItem(db, actor, path)
}
